"""Writing behind the reader: order, failures, and what grows."""

import hashlib
import json
from collections.abc import Sequence
from datetime import timedelta
from pathlib import Path

import numpy as np
import pytest

from modules.retrieval import EvidenceStore, ingest, ledger
from modules.retrieval.embed import Vectors, unit
from modules.retrieval.neardup import THRESHOLD, Kept, Twins, signature
from signatures.errors import BackendError

WORDS = ["museum", "ticket", "budget", "school", "visitor", "state", "art", "family"]


class Cheap:
    """Vectors from hashes; nothing loads. It fails on a text that holds ``refuse``."""

    name, dimension, window = "cheap", 8, 64

    def __init__(self, refuse: str | None = None) -> None:
        self.refuse = refuse
        self.seen: list[str] = []

    def encode(self, texts: Sequence[str]) -> Vectors:
        if self.refuse and any(self.refuse in text for text in texts):
            raise BackendError("the embedder is gone")
        self.seen += texts
        digests = b"".join(hashlib.blake2b(t.encode(), digest_size=8).digest() for t in texts)
        return unit(np.frombuffer(digests, np.uint8).reshape(-1, 8).astype(np.float64) - 127.5)

    def token_count(self, texts: Sequence[str]) -> list[int]:
        return [len(text.split()) + 2 for text in texts]

    def warm(self) -> None:
        """Nothing to load."""


def documents(path: Path, numbers: range) -> Path:
    """JSONL documents with words of their own."""
    rows = []
    for number in numbers:
        draw = np.random.default_rng(number)
        text = " ".join(f"{draw.choice(WORDS)}{draw.integers(1000)}" for _ in range(30))
        rows.append(json.dumps({"id": f"{number:04d}", "text": f"Document {number}: {text}."}))
    path.write_text("\n".join(rows) + "\n")
    return path


def test_batches_are_written_in_order_and_once(tmp_path: Path) -> None:
    source = documents(tmp_path / "docs.jsonl", range(90))
    cheap = Cheap()
    small = ingest([source], EvidenceStore(tmp_path / "small", cheap), batch=4)
    assert len(cheap.seen) == len(set(cheap.seen)) == small.chunks
    large = ingest([source], EvidenceStore(tmp_path / "large", Cheap()), batch=1000)
    one, two = (EvidenceStore(tmp_path / name, Cheap()) for name in ("small", "large"))
    assert one.rows() == two.rows()
    assert one.digest() == two.digest()
    assert [taken.source for taken in small.taken] == [taken.source for taken in large.taken]


def test_a_failure_ends_it_and_the_same_command_finishes_it(tmp_path: Path) -> None:
    source = documents(tmp_path / "docs.jsonl", range(60))
    index = tmp_path / "index"
    with pytest.raises(BackendError, match="the embedder is gone"):
        ingest([source], EvidenceStore(index, Cheap(refuse="Document 31:")), batch=4)
    kept = EvidenceStore(index, Cheap()).count()
    assert 0 < kept <= 32
    cheap = Cheap()
    report = ingest([source], EvidenceStore(index, cheap), batch=4)
    assert len(cheap.seen) == report.chunks - kept
    fresh = ingest([source], EvidenceStore(tmp_path / "fresh", Cheap()))
    assert report.chunks == fresh.chunks
    assert EvidenceStore(index, Cheap()).rows() == EvidenceStore(tmp_path / "fresh", Cheap()).rows()


def test_what_the_ledger_replaced_is_deleted(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(ledger, "TIDY", 4)
    monkeypatch.setattr(ledger, "RECENT", timedelta(milliseconds=1))
    store = EvidenceStore(tmp_path / "index", Cheap())
    ingest([documents(tmp_path / "docs.jsonl", range(40))], store, batch=2)
    assert len(store.database.open("documents").list_versions()) < 10
    assert len(ledger.Ledger(store.database).load()) == 40


def test_near_duplicates_whatever_their_place() -> None:
    """Against a plain comparison with all, on both sides of where bands are sorted in."""
    draw = np.random.default_rng(0)
    twins, texts = Twins(), []
    for number in range(2_600):
        words = [f"w{n}" for n in draw.integers(0, 50_000, 40)]
        texts.append(signature([" ".join(words)]))
        twins.add(f"{number}.md", Kept(str(number), texts[-1]))
    every = np.asarray(texts)
    for number in (0, 700, 1_023, 1_024, 2_047, 2_048, 2_599):
        for changed, found in ((20, f"{number}.md"), (30, None)):
            likely = every[number].copy()
            likely[draw.choice(256, changed, replace=False)] += 1
            assert ((every == likely).mean(axis=1).max() >= THRESHOLD) == (found is not None)
            assert twins.near("new.md", likely) == found


def test_near_duplicates_among_many() -> None:
    twins = Twins()
    texts = [" ".join(f"w{number}x{at}" for at in range(60)) for number in range(200)]
    for number, text in enumerate(texts):
        twins.add(f"{number}.md", Kept(f"hash {number}", signature([text])))
    nearly = texts[150] + " end"
    assert twins.near("new.md", signature([nearly])) == "150.md"
    assert twins.near("150.md", signature([nearly])) is None
    twins.drop("150.md")
    assert twins.near("new.md", signature([nearly])) is None
    assert twins.exact("new.md", "hash 7") == "7.md"
    twins.add("7.md", Kept("changed", signature([texts[150]])))
    assert twins.exact("new.md", "hash 7") is None
    assert twins.near("new.md", signature([nearly])) == "7.md"
    assert twins.near("new.md", signature([texts[7]])) is None
