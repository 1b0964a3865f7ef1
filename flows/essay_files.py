"""The files of an essay run: essay.md, transcript.md, result.json."""

from __future__ import annotations

from pathlib import Path

from flows.run import RESULT_FILE, Run
from modules.citations import references
from signatures.results import EssayResult


def write_files(run: Run, result: EssayResult) -> list[Path]:
    """Write all files, the result last: its presence means the run is finished."""
    return [
        run.write("essay.md", essay_text(result)),
        run.write("transcript.md", transcript_text(result)),
        run.write(RESULT_FILE, result.model_dump_json(indent=2) + "\n"),
    ]


def essay_text(result: EssayResult) -> str:
    """The essay with its references, as Markdown."""
    parts = [f"# {_plain(result.proposition)}", result.essay]
    if result.citations:
        lines = [f"- {line}" for line in references(result.citations)]
        parts += ["## References", "\n".join(lines)]
    return "\n\n".join(parts) + "\n"


def transcript_text(result: EssayResult) -> str:
    """Personas, debate and plan, as Markdown."""
    names = {p.id: f"{p.emoji} {p.title}" for p in result.personas} | {"critic": "Critic"}
    parts = [f"# How the essay came about: {_plain(result.proposition)}", "## Personas"]
    for p in result.personas:
        chosen = f" Selected: {p.reason}" if p.selected else ""
        values = f" Values: {', '.join(p.values)}." if p.values else ""
        parts.append(
            f"- **{names[p.id]}** ({p.stance}). {p.description} *{p.claim}*{values}{chosen}"
        )
    parts.append("## Debate")
    for turn in result.debate:
        answer = f", {turn.relation}s {turn.replies_to}" if turn.relation != "none" else ""
        parts.append(
            f"**{turn.id} {names[turn.speaker]}** (round {turn.round}{answer})\n\n{turn.text}"
        )
    parts.append(f"The debate ended: {result.debate_ended.replace('_', ' ')}.")
    parts.append("## Plan")
    if result.plan.acknowledgment:
        parts.append(f"Acknowledgment: {result.plan.acknowledgment}")
    for number, point in enumerate(result.plan.points, start=1):
        lines = [f"{number}. {point.point}", *(f"   - {s}" for s in point.subpoints)]
        parts.append("\n".join(lines))
    return "\n\n".join(parts) + "\n"


def _plain(text: str) -> str:
    return " ".join(text.split())


__all__ = ["essay_text", "transcript_text", "write_files"]
