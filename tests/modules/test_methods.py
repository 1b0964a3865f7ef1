"""Essay methods in plain Python: each one's calls, evidence and parts, offline."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import dspy
import pytest

from modules.essay import (
    AgentDebateMethod,
    Americano,
    DebateNoCritic,
    EndToEnd,
    EssayMethod,
    EssayParts,
    EssaySettings,
    PersonaDebate,
    PersonaNoDebate,
    PlanThenWrite,
    RecallSettings,
)
from modules.evidence import NoEvidence
from modules.lm.backends import ExtractiveBackend
from modules.lm.ledger import Ledger
from modules.lm.roles import Roles
from modules.retrieval import EvidenceStore, MiniLM
from modules.retrieval.specs import StoreRetriever
from signatures.types import Passage, Usage

SUBJECT = "We should make all museums free of charge"
METHODS: dict[str, EssayMethod] = {
    m.name: m
    for m in (
        EndToEnd(),
        PlanThenWrite(),
        AgentDebateMethod(),
        Americano(),
        PersonaDebate(),
        PersonaNoDebate(),
        DebateNoCritic(),
    )
}
CALLS = {
    "e2e": 1, "plan": 2, "agent_debate": 6, "americano": 9, "persona_debate": 12,
    "persona_no_debate": 4, "debate_no_critic": 10,
}  # fmt: skip


class Watching:
    """A retriever that remembers what it was asked."""

    def __init__(self, inner: Any) -> None:
        self.inner = inner
        self.queries: list[str] = []
        self.found: set[str] = set()

    def search(self, queries: Any, k: int) -> list[list[Passage]]:
        self.queries += queries
        found: list[list[Passage]] = self.inner.search(queries, k)
        self.found |= {p.id for each in found for p in each}
        return found

    def identity(self) -> dict[str, Any]:
        return dict(self.inner.identity())


class Written:
    """An essay by one method, with what it cost and what was searched."""

    def __init__(self, name: str, corpus: Path, shared: bool) -> None:
        dspy.configure_cache(enable_disk_cache=False, enable_memory_cache=False)
        embedder = MiniLM()
        store = StoreRetriever(EvidenceStore(corpus / "index", embedder), "hybrid")
        self.retriever = Watching(store)
        settings = EssaySettings(recall=RecallSettings(shared=shared))
        ledger = Ledger()
        self.stages: list[str] = []
        program = METHODS[name].program(settings, self.retriever, embedder)
        roles = Roles(ExtractiveBackend(), ledger)
        self.parts: EssayParts = METHODS[name].write(
            roles.bind(program), SUBJECT, "refute", _Counting(self.stages)
        )
        self.usage: Usage = ledger.usage()


class _Counting:
    """The step of plain Python, which keeps the stages' names."""

    def __init__(self, names: list[str]) -> None:
        self.names = names

    def __call__(self, name: str, stage: Any, **inputs: Any) -> Any:
        self.names.append(name)
        return stage(**inputs)

    def start(self, name: str, stage: Any, **inputs: Any) -> Any:
        from modules.stage import direct

        self.names.append(name)
        return direct.start(name, stage, **inputs)


@pytest.fixture(scope="module")
def written(corpus: Path) -> Callable[..., Written]:
    """The essay of a method, made once."""
    made: dict[tuple[str, bool], Written] = {}

    def get(name: str, shared: bool = True) -> Written:
        if (name, shared) not in made:
            made[name, shared] = Written(name, corpus, shared)
        return made[name, shared]

    return get


@pytest.mark.parametrize("name", sorted(METHODS))
def test_every_method_writes_a_cited_essay(name: str, written: Callable[..., Written]) -> None:
    found = written(name)
    essay = found.parts.essay
    assert len(essay.text.split()) >= 300
    assert len(essay.citations) >= 8
    assert found.usage.calls == CALLS[name]
    assert found.usage.input_tokens > 1000 * CALLS[name]


@pytest.mark.parametrize("name", sorted(METHODS))
def test_a_method_says_how_many_stages_it_has(name: str, written: Callable[..., Written]) -> None:
    stages = written(name).stages
    assert len(stages) == len(set(stages)) == METHODS[name].stages


@pytest.mark.parametrize("name", sorted(METHODS))
def test_shared_evidence_is_searched_once(name: str, written: Callable[..., Written]) -> None:
    found = written(name)
    assert found.retriever.queries == [SUBJECT]
    assert {c.chunk_id for c in found.parts.essay.citations} <= found.retriever.found


def test_unshared_evidence_is_searched_for_every_persona_and_point(
    written: Callable[..., Written],
) -> None:
    found = written("persona_debate", shared=False)
    claims = {p.claim for p in found.parts.personas}
    assert claims <= set(found.retriever.queries)
    assert len(found.retriever.queries) > len(claims) + 3


def test_the_essays_differ_and_so_do_their_ways(written: Callable[..., Written]) -> None:
    parts = {name: written(name).parts for name in METHODS}
    assert len({p.essay.text for p in parts.values()}) == len(METHODS)
    assert {n for n, p in parts.items() if p.personas} == {
        "persona_debate", "persona_no_debate", "debate_no_critic",
    }  # fmt: skip
    assert {n for n, p in parts.items() if p.debate.turns} == {
        "agent_debate", "persona_debate", "debate_no_critic",
    }  # fmt: skip
    assert {n for n, p in parts.items() if not p.plan.points} == {"e2e"}
    assert {n for n, p in parts.items() if p.argument is not None} == {"americano"}
    assert {p.debate.ended for n, p in parts.items() if not p.debate.turns} == {"no_debate"}


def test_only_the_critics_absence_tells_the_ablation_apart(
    written: Callable[..., Written],
) -> None:
    whole, without = (written(n).parts for n in ("persona_debate", "debate_no_critic"))
    assert whole.personas == without.personas
    assert {t.role for t in without.debate.turns} == {"team"}
    assert {t.role for t in whole.debate.turns} == {"team", "critic"}


def test_agents_without_personas_are_planner_and_critic(written: Callable[..., Written]) -> None:
    turns = written("agent_debate").parts.debate.turns
    assert [t.speaker for t in turns] == ["planner", "critic"] * 2
    assert [t.relation for t in turns] == ["none", "oppose", "oppose", "oppose"]


def test_americano_keeps_its_reviews(written: Callable[..., Written]) -> None:
    argument = written("americano").parts.argument
    assert argument is not None
    assert [r.component for r in argument.revisions] == ["claim", "reasons", "concession", "essay"]
    assert [r.feedback is not None for r in argument.revisions] == [False, True, False, False]


def test_no_refinement_asks_no_reviewer(corpus: Path) -> None:
    program = Americano(refinements=0).program(EssaySettings(), NoEvidence(), MiniLM())
    assert program.claim.refine.refinements == 0


def test_turns_are_measured(written: Callable[..., Written]) -> None:
    turns = written("persona_debate").parts.debate.turns
    assert turns[0].novelty == 1
    assert turns[0].agreement is None
    assert all(0 < (t.novelty or 0) < 1 for t in turns[1:])
    assert all(t.drift is not None and t.agreement is not None for t in turns[1:])
