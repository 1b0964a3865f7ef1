"""Acceptance: essays over real texts that nobody labelled, from plain Python, without a model."""

from __future__ import annotations

import json
from collections import Counter, defaultdict
from pathlib import Path
from typing import Any, Literal

import dspy
import pytest

from modules.citations import markers
from modules.essay import EssayParts, EssaySettings, PersonaDebateProgram
from modules.lm.backends import ExtractiveBackend
from modules.lm.ledger import Ledger
from modules.retrieval import EvidenceStore, MiniLM, ingest
from modules.retrieval.specs import StoreRetriever
from modules.stage import Stage, direct
from signatures.types import Pool
from tests.support import DATA

TEXTS = DATA / "perspectrum" / "evidence_corpus_debatewise_procon.jsonl"
GOALS: dict[Literal["support", "refute"], str] = {"support": "for", "refute": "against"}
CLAIMS = ("procon-24", "procon-17")  # school uniforms; animals in scientific testing

pytestmark = [
    pytest.mark.data,
    pytest.mark.slow,
    pytest.mark.skipif(not TEXTS.exists(), reason=f"{TEXTS} is not there"),
]


class Watching:
    """Runs every stage directly and keeps what it returned."""

    def __init__(self) -> None:
        self.results: dict[str, Any] = {}

    def __call__(self, name: str, stage: Stage, **inputs: Any) -> Any:
        self.results[name] = direct(name, stage, **inputs)
        return self.results[name]

    def start(self, name: str, stage: Stage, **inputs: Any) -> Any:
        return direct.start(name, stage, **inputs)


def rows() -> dict[str, list[dict[str, str]]]:
    """The labelled rows of each claim."""
    found: defaultdict[str, list[dict[str, str]]] = defaultdict(list)
    for line in TEXTS.read_text().splitlines():
        row = json.loads(line)
        if row["claim_id"] in CLAIMS:
            found[row["claim_id"]].append(row)
    return dict(found)


def write(
    labelled: list[dict[str, str]], goal: Literal["support", "refute"], folder: Path
) -> tuple[Pool, EssayParts]:
    """The pool and the essay over the texts alone."""
    file = folder / "texts.jsonl"
    unlabelled = [
        {"id": row["doc_id"].replace("-for-", "-").replace("-against-", "-") + f"-{n}"}
        | {"title": row["perspective"], "text": row["text"]}
        for n, row in enumerate(labelled)
    ]
    file.write_text("\n".join(map(json.dumps, unlabelled)))
    embedder = MiniLM()
    store = EvidenceStore(folder / "index", embedder)
    ingest([file], store)
    program = PersonaDebateProgram(EssaySettings(), StoreRetriever(store, "hybrid"), embedder)
    watching = Watching()
    with dspy.context(lm=ExtractiveBackend().lm("writer", Ledger())):
        parts = program(subject=labelled[0]["claim"], goal=goal, step=watching)
    return watching.results["personas"], parts


def test_essays_over_unlabelled_texts(tmp_path: Path) -> None:
    sides: Counter[str] = Counter()
    for claim, labelled in rows().items():
        stances = Counter(row["stance"] for row in labelled)
        assert len(labelled) >= 20
        assert min(stances["for"], stances["against"]) >= 7
        for goal, own in GOALS.items():
            folder = tmp_path / f"{claim}-{goal}"
            folder.mkdir()
            pool, parts = write(labelled, goal, folder)
            complete(pool, parts)
            # The labels, for this alone. The id's last part is the row's number.
            for _, source in {(cited.chunk_id, cited.source) for cited in parts.essay.citations}:
                stance = labelled[int(source.rsplit("-", 1)[1])]["stance"]
                sides["own" if stance == own else "other"] += 1
    assert sides["own"] > sides["other"], sides


def complete(pool: Pool, parts: EssayParts) -> None:
    """Everything an essay must have."""
    essay = parts.essay
    assert len(pool.personas) >= 5
    assert sum(persona.selected for persona in parts.personas) == 3
    assert any(turn.role == "critic" for turn in parts.debate.turns)
    assert len(parts.plan.points) >= 3
    assert len(essay.text.split()) >= 300
    assert len(essay.citations) >= 4
    assert len({citation.source for citation in essay.citations}) >= 3
    assert set(markers(essay.text)) == {citation.marker for citation in essay.citations}
