"""From the parts of a roundtable to its document, and back to where it can be taken up again."""

from __future__ import annotations

from typing import NamedTuple

from evals.contract import Tools
from flows.config import DebateConfig
from flows.run_metrics import scored
from modules.argument_graph import argument_graph
from modules.roundtable import RoundtableParts
from modules.roundtable.figures import citation_figures
from modules.roundtable.speaking import word_count
from signatures.results import DebateResult
from signatures.table import Balance, PersonaInput, TableTurn, Vote
from signatures.types import (
    ArgumentGraph,
    Debate,
    Persona,
    RunRecord,
    Stance,
    Turn,
    Usage,
)

STANCES: tuple[Stance, ...] = ("for", "against", "neutral")


class Circumstances(NamedTuple):
    """What a result says about its run rather than about the debate."""

    votes: dict[str, Vote]
    seconds: float
    usage: Usage
    run: RunRecord


def seated(settings: DebateConfig, before: DebateResult | None) -> list[Persona] | None:
    """Who debates from now on: the configured personas, those of the last round, or None."""
    if settings.personas is None:
        return None if before is None else [p for p in before.personas if p.selected]
    taken = {p.id for p in settings.personas if p.id} | {p.id for p in _left(settings, before)}
    free = (name for name in (f"p{n}" for n in range(1, 1000)) if name not in taken)
    return [_persona(p, p.id or next(free), settings.subject) for p in settings.personas]


def told(before: DebateResult) -> RoundtableParts:
    """An earlier result as the debate so far."""
    return RoundtableParts(
        before.personas, before.rounds, before.moderation, None, None, before.notes
    )


def measured(
    settings: DebateConfig, parts: RoundtableParts, around: Circumstances, tools: Tools
) -> DebateResult:
    """The document, with its figures and metrics; a metric that breaks is a note and no value."""
    turns = [turn for r in parts.rounds for turn in r]
    result = DebateResult(
        topic=settings.subject,
        mode=settings.debate.mode,
        word_limit=settings.debate.turn_words,
        personas=parts.personas,
        rounds=parts.rounds,
        moderation=parts.moderation,
        closing=parts.closing,
        recommendation=parts.recommendation,
        votes={turn: v for turn, v in around.votes.items() if turn in {t.id for t in turns}},
        balance=_balance(parts.personas, turns),
        graph=_graph(parts.personas, turns),
        citation_figures=citation_figures(settings.subject, turns),
        metrics={},
        notes=_notes(settings, parts, turns),
        seconds=around.seconds,
        usage=around.usage,
        run=around.run,
    )
    return scored(result, settings, tools)


def metrics_of(result: DebateResult) -> dict[str, float | None]:
    """The figures that tracking keeps."""
    turns = [turn for r in result.rounds for turn in r]
    return {
        **{f"usage.{k}": v for k, v in result.usage.model_dump().items()},
        **{f"citations.{k}": v for k, v in result.citation_figures.model_dump().items()},
        **result.metrics,
        "turns": float(len(turns)),
        "turns_cut": float(sum(t.length == "cut" for t in turns)),
        "seconds": result.seconds,
    }


def _left(settings: DebateConfig, before: DebateResult | None) -> list[Persona]:
    """Personas of earlier rounds, whose ids are not given to others."""
    return before.personas if before else []


def _persona(given: PersonaInput, id: str, topic: str) -> Persona:
    """A persona with what its author left out."""
    sides = {"for": f"I am for it: {topic}", "against": f"I am against it: {topic}"}
    return Persona(
        id=id,
        title=given.title,
        description=given.description or given.title,
        claim=given.claim or sides.get(given.stance, topic),
        emoji=given.emoji or "🙂",
        stance=given.stance,
        values=given.values,
    )


def _balance(personas: list[Persona], turns: list[TableTurn]) -> Balance:
    stance = {p.id: p.stance for p in personas}
    return Balance(
        personas={s: sum(p.stance == s and p.selected for p in personas) for s in STANCES},
        turns={s: sum(stance[t.speaker] == s for t in turns) for s in STANCES},
        words={
            s: sum(word_count(t.text) for t in turns if stance[t.speaker] == s) for s in STANCES
        },
    )


def _graph(personas: list[Persona], turns: list[TableTurn]) -> ArgumentGraph:
    plain = [
        Turn(
            id=t.id,
            round=t.round,
            speaker=t.speaker,
            role="team",
            text=t.spoken,
            replies_to=t.replies_to,
            relation=t.relation,
        )
        for t in turns
    ]
    return argument_graph(Debate(turns=plain, ended="max_rounds"), personas)


def _notes(settings: DebateConfig, parts: RoundtableParts, turns: list[TableTurn]) -> list[str]:
    notes = list(dict.fromkeys(parts.notes))
    cut = [t.id for t in turns if t.length == "cut"]
    if cut:
        notes.append(f"cut at {settings.debate.turn_words} words: {', '.join(cut)}")
    if settings.roles.get("writer", settings.backend).deterministic:
        notes.append(
            "spoken by the extractive baseline, which selects and joins sentences of the "
            "evidence; choose a model with backend=openai (or vllm, ollama, anthropic, ...)"
        )
    if settings.debate.recommendation and turns and parts.recommendation is None:
        notes.append("no recommendation: the model abstained")
    if settings.evidence == "none":
        notes.append("held without evidence: nothing in it is cited")
    return list(dict.fromkeys(notes))


__all__ = ["Circumstances", "measured", "metrics_of", "seated", "told"]
