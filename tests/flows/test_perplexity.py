"""``moot score FILE metric=pd_*`` on the released script's rows, with a model built on the spot."""

from __future__ import annotations

import json
import math
from pathlib import Path
from typing import Any

import pytest

from signatures.errors import BackendError
from tests.modules.perplexity.tiny import gpt2
from tests.support import composed

pytestmark = pytest.mark.usefixtures("prefect_server")

PARTIAL = [{"point_of_view": "It helps", "explanation": "Schools come."}]
ROWS: list[dict[str, Any]] = [
    {"id": 1, "generation": "It depends.", "partial_answers": PARTIAL},
    {"id": 2, "generation": "x" * 300, "partial_answers": PARTIAL},
    {"id": 3, "generation": "Nobody wrote partial answers for this one."},
]


@pytest.fixture(scope="module")
def model(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return gpt2(tmp_path_factory.mktemp("gpt2"))


def scored(home: Path, file: Path, model: Path, *overrides: str) -> dict[str, Any]:
    from flows.score import score

    words = (f"paths.artifacts={home}", "tracking=none", f"evaluator.model={model}", *overrides)
    return score({**composed("score", "subject=x", *words), "subject": str(file)}, None)


@pytest.fixture
def file(tmp_path: Path) -> Path:
    path = tmp_path / "answers.jsonl"
    path.write_text("".join(json.dumps(row) + "\n" for row in ROWS), encoding="utf-8")
    return path


def test_what_does_not_fit_is_counted_and_the_rest_is_kept(
    home: Path, file: Path, model: Path
) -> None:
    first = scored(home, file, model, "metric=pd_paper", "max_failed=0.7")
    assert [first[f"n_{kind}"] for kind in ("scored", "failed", "abstained")] == [1, 2, 0]
    items = {item["id"]: item for item in first["items"]}
    assert first["value"] == items["1"]["value"] > 1
    assert "at most 256 tokens" in items["2"]["explanation"]
    assert "partial_answers" in items["3"]["explanation"]
    assert (first["direction"], first["range"]) == ("lower", [1.0, None])
    assert first["run"]["models"]["evaluator"].startswith(str(model))
    again = scored(home, file, model, "metric=pd_paper", "max_failed=0.7")
    assert again["usage"]["units_reused"] == 3
    assert again["items"] == first["items"]
    other = scored(home, file, model, "metric=pd_log", "max_failed=0.7")
    assert other["value"] == pytest.approx(math.log(first["value"]), abs=1e-5)


def test_a_model_that_is_not_there_fails_before_any_row(home: Path, file: Path) -> None:
    with pytest.raises(BackendError, match="cannot be loaded"):
        scored(home, file, file.parent / "none", "metric=pd_log")


def test_the_released_figure_cuts_where_the_script_does(
    home: Path, file: Path, model: Path
) -> None:
    found = scored(home, file, model, "metric=pd_released", "max_failed=0.4")
    items = {item["id"]: item for item in found["items"]}
    assert items["2"]["value"] == 1.0
    assert items["3"]["status"] == "failed"
