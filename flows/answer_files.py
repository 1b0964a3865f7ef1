"""The files of an answer run: answer.md, result.json."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

from flows.run import RESULT_FILE, Run
from modules.citations import references
from modules.markup import item, markdown, one_line
from signatures.results import AnswerResult


def write_files(run: Run, result: AnswerResult) -> list[Path]:
    """Write all files, the result last: its presence means the run is finished."""
    files = {
        "answer.md": answer_text(result),
        RESULT_FILE: result.model_dump_json(indent=2) + "\n",
    }
    return [run.write(name, text) for name, text in files.items()]


def answer_text(result: AnswerResult, shown: Callable[[str], str] = markdown) -> str:
    """The answer, its points of view and its references, as Markdown.

    Args:
        result: What the flow returned.
        shown: What texts of models and documents pass through: by default, into Markdown.
    """
    parts = [f"# {shown(one_line(result.question))}", shown(result.answer)]
    if result.perspectives:
        parts.append("## Points of view")
        for number, view in enumerate(result.perspectives, start=1):
            said = shown(one_line(view.point_of_view))
            parts.append(f"{number}. **{said}** {shown(one_line(view.explanation))}")
    citations = [*result.citations, *(c for v in result.perspectives for c in v.citations)]
    if citations:
        lines = [f"- {shown(line)}" for line in references(citations)]
        parts += ["## References", "\n".join(lines)]
    return "\n\n".join(parts) + "\n"


def about(result: AnswerResult) -> list[str]:
    """How the answer came about, one line each."""
    lines = []
    if result.personas:
        names = ", ".join(f"{item(p.title)} ({p.stance})" for p in result.personas)
        lines.append(f"voices: {names}")
    said = {True: "yes", False: "no", None: "not asked"}
    told = {True: "says so", False: "does not say so", None: "not checked"}
    lines.append(
        f"disputed: {said[result.disputed]}; that people disagree, the answer: "
        f"{told[result.dispute_acknowledged]}"
    )
    return lines


__all__ = ["about", "answer_text", "write_files"]
