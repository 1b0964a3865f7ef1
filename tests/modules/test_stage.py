"""Stages: keys change with everything a result depends on, and with nothing else."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import dspy
import pytest

from modules.evidence import Background, NoEvidence, PersonaEvidence, PlanEvidence, numbered
from modules.personas import TeamSelection
from modules.stage import direct, key
from signatures.errors import EvidenceError
from signatures.types import Passage, Persona, Plan, PlanPoint, Pool
from tests.modules.fake import fake_lm


class Shelf:
    """A retriever with one passage per query word it is asked for."""

    def __init__(self, digest: str = "d", similarity: float = 0.9) -> None:
        self.digest = digest
        self.similarity = similarity
        self.batches: list[list[str]] = []

    def search(self, queries: Sequence[str], k: int) -> list[list[Passage]]:
        self.batches.append(list(queries))
        return [
            [
                Passage(id=f"{q}-{n}", text=q, source="s", title="t", similarity=self.similarity)
                for n in range(k)
            ]
            for q in queries
        ]

    def identity(self) -> dict[str, Any]:
        return {"digest": self.digest}


def stage(**changes: Any) -> TeamSelection:
    found = TeamSelection(team_size=changes.pop("team_size", 3))
    found.select.predict.lm = changes.pop("lm", None)
    return found


def test_the_same_work_has_the_same_key() -> None:
    assert key("team", stage(), {"a": 1, "b": [2]}) == key("team", stage(), {"b": [2], "a": 1})


def test_every_dependency_changes_the_key() -> None:
    base = key("team", stage(), {"subject": "P"})
    other_model = stage(lm=fake_lm(lambda s, i: {}))
    other_prompt = stage()
    predictor = other_prompt.select.predict
    predictor.signature = predictor.signature.with_instructions("Choose otherwise.")
    demonstrated = stage()
    demonstrated.select.predict.demos = [dspy.Example(proposition="P", choices=[])]
    keys = {
        base,
        key("team", stage(), {"subject": "Q"}),
        key("team", stage(team_size=2), {"subject": "P"}),
        key("team", other_model, {"subject": "P"}),
        key("team", other_prompt, {"subject": "P"}),
        key("team", demonstrated, {"subject": "P"}),
    }
    assert len(keys) == 6


def test_the_sampling_is_part_of_the_key() -> None:
    lms = [fake_lm(lambda s, i: {}) for _ in range(2)]
    lms[1].kwargs["seed"] = 7
    assert len({key("t", stage(lm=lm), {}) for lm in lms}) == 2


def test_a_version_is_part_of_the_key(monkeypatch: pytest.MonkeyPatch) -> None:
    before = key("team", stage(), {})
    monkeypatch.setattr(TeamSelection, "version", 99)
    assert key("team", stage(), {}) != before


def test_the_corpus_is_part_of_a_retrieval_stages_key() -> None:
    keys = {key("b", Background(Shelf(d), k=3, min_similarity=0), {}) for d in ("d1", "d2")}
    assert len(keys) == 2


def test_results_round_trip_through_json() -> None:
    background = Background(Shelf(), k=2, min_similarity=0.5)
    found = direct("background", background, subject="P")
    adapter = background.returns()
    assert adapter.validate_json(adapter.dump_json(found)) == found


def test_nothing_on_the_subject_is_a_refusal() -> None:
    with pytest.raises(EvidenceError, match=r"got 0\.30"):
        Background(Shelf(similarity=0.3), k=2, min_similarity=0.5)(subject="P")


def test_no_evidence_on_purpose_is_none() -> None:
    assert Background(NoEvidence(), k=2, min_similarity=0.5)(subject="P") == []


def test_personas_are_searched_in_one_batch() -> None:
    shelf = Shelf()
    personas = [
        Persona(id=i, title=i, description="d", claim=f"claim {i}", emoji="🙂", stance="for")
        for i in ("p1", "p2")
    ]
    found = PersonaEvidence(shelf, k=1)(pool=Pool(personas=personas), subject="x")
    assert shelf.batches == [["claim p1", "claim p2"]]
    assert found["p2"][0].text == "claim p2"


def test_a_plans_parts_are_searched_with_their_subpoints() -> None:
    shelf = Shelf()
    plan = Plan(acknowledgment="Yes", points=[PlanPoint(point="A", subpoints=["b", "c"])])
    found = PlanEvidence(shelf, k=1)(plan=plan, subject="x", goal="support")
    assert shelf.batches == [["Yes", "A b c"]]
    assert [part.part for part in found] == ["Yes", "A"]


def test_passages_are_numbered_from_one() -> None:
    [passages] = Shelf().search(["q"], 2)
    assert [e.number for e in numbered(passages)] == [1, 2]
