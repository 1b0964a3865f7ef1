"""The files of an essay run: essay.md, transcript.md, result.json."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

from flows.run import RESULT_FILE, Run
from modules.citations import references
from modules.markup import blockquote, item, markdown, one_line
from signatures.results import EssayResult


def write_files(run: Run, result: EssayResult) -> list[Path]:
    """Write all files, the result last: its presence means the run is finished."""
    return [
        run.write("essay.md", essay_text(result)),
        run.write("transcript.md", transcript_text(result)),
        run.write(RESULT_FILE, result.model_dump_json(indent=2) + "\n"),
    ]


def essay_text(result: EssayResult, shown: Callable[[str], str] = markdown) -> str:
    """The essay with its references, as Markdown.

    Args:
        result: What the flow returned.
        shown: What texts of models and documents pass through: by default, into Markdown.
    """
    parts = [f"# {shown(one_line(result.proposition))}", shown(result.essay)]
    if result.citations:
        lines = [f"- {shown(line)}" for line in references(result.citations)]
        parts += ["## References", "\n".join(lines)]
    return "\n\n".join(parts) + "\n"


def transcript_text(result: EssayResult) -> str:
    """Personas, debate and plan, as Markdown. Every turn is a quotation."""
    names = {p.id: f"{_emoji(p.emoji)} {item(p.title)}" for p in result.personas}
    names["critic"] = "Critic"
    parts = [f"# How the essay came about: {item(result.proposition)}", "## Personas"]
    for p in result.personas:
        chosen = f" Selected: {item(p.reason or '')}" if p.selected else ""
        values = f" Values: {', '.join(map(item, p.values))}." if p.values else ""
        parts.append(
            f"- **{names[p.id]}** ({p.stance}). {item(p.description)} *{item(p.claim)}*"
            f"{values}{chosen}"
        )
    parts.append("## Debate")
    for turn in result.debate:
        answer = ""
        if turn.relation != "none":
            answer = f", {turn.relation}s {item(turn.replies_to or '')}"
        parts.append(
            f"**{item(turn.id)} {names[turn.speaker]}** (round {turn.round}{answer})\n\n"
            f"{blockquote(turn.text)}"
        )
    parts.append(f"The debate ended: {item(result.debate_ended.replace('_', ' '))}.")
    parts.append("## Plan")
    if result.plan.acknowledgment:
        parts.append(f"Acknowledgment: {item(result.plan.acknowledgment)}")
    for number, point in enumerate(result.plan.points, start=1):
        lines = [f"{number}. {item(point.point)}", *(f"   - {item(s)}" for s in point.subpoints)]
        parts.append("\n".join(lines))
    return "\n\n".join(parts) + "\n"


def _emoji(text: str) -> str:
    return markdown(one_line(text, joiners=True), joiners=True)


__all__ = ["essay_text", "transcript_text", "write_files"]
