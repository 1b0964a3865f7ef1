"""Keys of units, and the interpreter they run in."""

from __future__ import annotations

import gc
import hashlib
import json
import sys

from flows.settled import settled
from flows.units import canonical, unit_key


def test_a_key_is_the_hash_of_its_content_as_canonical_json() -> None:
    content = {"rows": [{"b": 1, "a": "für"}], "program": {"z": [1.5, None], "y": {"d": 0, "c": 1}}}
    text = json.dumps(content, sort_keys=True, ensure_ascii=False)
    expected = f"text-{hashlib.sha256(text.encode()).hexdigest()[:32]}"
    assert unit_key("text", **content) == expected
    shared = canonical(content["program"])
    assert unit_key("text", rows=content["rows"], program=shared) == expected
    assert unit_key("text", rows=content["rows"], program=str(shared)) != expected


def test_pools_that_overlap_leave_the_interpreter_as_it_was() -> None:
    def now() -> tuple[float, tuple[int, int, int], bool]:
        return sys.getswitchinterval(), gc.get_threshold(), gc.get_freeze_count() > 0

    before = now()
    first, second = settled(), settled()
    first.__enter__()
    inside = now()
    second.__enter__()
    first.__exit__(None, None, None)
    assert now() == inside != before
    second.__exit__(None, None, None)
    assert now() == before
