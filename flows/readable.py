"""Results for people: what a flow prints unless JSON was asked for."""

from __future__ import annotations

from typing import Any

from flows.essay_files import essay_text
from modules.markup import one_line, visible
from signatures.results import EssayResult, IngestResult
from signatures.types import Persona, Usage


def readable(flow: str, document: dict[str, Any]) -> str:
    """A flow's JSON document as text."""
    if flow == "essay":
        return _essay(EssayResult.model_validate(document))
    return _ingest(IngestResult.model_validate(document))


def _essay(result: EssayResult) -> str:
    team = ", ".join(_persona(p) for p in result.personas if p.selected)
    figures = result.citation_figures
    lines = [
        essay_text(result, visible),
        f"team: {team} ({len(result.personas)} personas in the pool, "
        f"{len(result.debate)} turns of debate)",
        f"citations: {len(result.citations)}, precision {_share(figures.precision)}, "
        f"recall {_share(figures.recall)}, balance {_share(figures.evidence_balance)}",
        f"usage: {_usage(result.usage)}; {result.seconds:.1f} s",
        *(f"note: {one_line(note)}" for note in result.notes),
        f"run: {visible(result.run.dir)}",
    ]
    return "\n".join(lines)


def _ingest(result: IngestResult) -> str:
    lines = [
        f"{t.chunks:>4} chunks  {one_line(t.source)}  {one_line(t.title)}" for t in result.taken
    ]
    lines += [f"refused      {one_line(r.source)}: {one_line(r.reason)}" for r in result.refused]
    lines += [
        f"duplicate    {one_line(d.source)}: same as {one_line(d.same_as)}"
        for d in result.duplicates
    ]
    lines.append(
        f"{len(result.taken)} documents taken, {len(result.refused)} refused, "
        f"{len(result.duplicates)} duplicates; the index holds {result.chunks} chunks "
        f"as {result.corpus_version}; {result.seconds:.1f} s"
    )
    return "\n".join(lines)


def _persona(persona: Persona) -> str:
    return f"{one_line(persona.emoji, joiners=True)} {one_line(persona.title)}"


def _usage(usage: Usage) -> str:
    money = "unpriced" if usage.usd is None else f"${usage.usd:.4f}"
    return (
        f"{usage.calls} calls, {usage.cached_calls} from the cache, "
        f"{usage.units_reused} stages reused, {usage.failed_attempts} failed attempts, "
        f"{usage.input_tokens} + {usage.output_tokens} tokens, {money}"
    )


def _share(value: float | None) -> str:
    return "undefined" if value is None else f"{value:.2f}"
