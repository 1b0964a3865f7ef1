"""The files of an essay run: essay.md, transcript.md, graph.svg, result.json."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

from flows.run import RESULT_FILE, Run
from modules.citations import references
from modules.debate import NAMES
from modules.graph_svg import draw
from modules.markup import blockquote, item, markdown, one_line
from signatures.results import EssayResult
from signatures.types import Discourse, Persona, Plan, Sample, Turn


def write_files(run: Run, result: EssayResult) -> list[Path]:
    """Write all files, the result last: its presence means the run is finished.

    There is a graph only where there was a debate.
    """
    files = {"essay.md": essay_text(result), "transcript.md": transcript_text(result)}
    if result.debate:
        files["graph.svg"] = draw(result.argument_graph, result.proposition)
    files[RESULT_FILE] = result.model_dump_json(indent=2) + "\n"
    return [run.write(name, text) for name, text in files.items()]


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
    """Personas, components, debate and plan as far as there are any, as Markdown."""
    names = {p.id: f"{_emoji(p.emoji)} {item(p.title)}" for p in result.personas}
    parts = [f"# How the essay came about: {item(result.proposition)}"]
    parts.append(f"Method: {item(result.method.replace('_', ' '))}.")
    if result.personas:
        parts += ["## Personas", *(_persona(p, names[p.id]) for p in result.personas)]
    if result.argument is not None:
        parts += ["## Argument", *_argument(result.argument)]
    if result.debate:
        parts += ["## Debate", *(_turn(t, names) for t in result.debate), *_debate(result)]
    if result.plan.points:
        parts += ["## Plan", *_plan(result.plan)]
    if result.samples:
        parts += ["## Samples", "\n".join(map(_sample, result.samples))]
    return "\n\n".join(parts) + "\n"


def _persona(p: Persona, name: str) -> str:
    chosen = f" Selected: {item(p.reason or '')}" if p.selected else ""
    values = f" Values: {', '.join(map(item, p.values))}." if p.values else ""
    described = f"{item(p.description)} *{item(p.claim)}*"
    return f"- **{name}** ({p.stance}). {described}{values}{chosen}"


def _turn(turn: Turn, names: dict[str, str]) -> str:
    """Every turn is a quotation."""
    answer = f", {turn.relation}s {item(turn.replies_to or '')}" if turn.relation != "none" else ""
    new = "" if turn.novelty is None else f", novelty {turn.novelty:.2f}"
    name = names.get(turn.speaker) or NAMES.get(turn.speaker, item(turn.speaker))
    head = f"**{item(turn.id)} {name}** (round {turn.round}{answer}{new})"
    return f"{head}\n\n{blockquote(turn.text)}"


def _debate(result: EssayResult) -> list[str]:
    found = result.debate_figures.model_dump()
    shown = ", ".join(f"{name} {value:.2f}" for name, value in found.items() if value is not None)
    ended = f"The debate ended: {item(result.debate_ended.replace('_', ' '))}."
    return [ended, f"Over all turns: {shown}."] if shown else [ended]


def _plan(plan: Plan) -> list[str]:
    parts = [f"Acknowledgment: {item(plan.acknowledgment)}"] if plan.acknowledgment else []
    for number, point in enumerate(plan.points, start=1):
        lines = [f"{number}. {item(point.point)}", *(f"   - {item(s)}" for s in point.subpoints)]
        parts.append("\n".join(lines))
    return parts


def _argument(argument: Discourse) -> list[str]:
    """The components in their order, then what the reviewer asked for."""
    parts = [f"**Claim:** {item(argument.claim)}"]
    for number, reason in enumerate(argument.reasons, start=1):
        parts.append(f"**Reason {number}:** {item(reason.reason)} {item(reason.explanation)}")
    granted = argument.concession
    parts.append(f"**Concession:** {item(granted.objection)} **Answer:** {item(granted.answer)}")
    parts += [
        f"Feedback on the {item(r.component)}:\n\n{blockquote(r.feedback)}"
        for r in argument.revisions
        if r.feedback is not None
    ]
    return parts


def _sample(sample: Sample) -> str:
    value = "not rated" if sample.value is None else f"rated {sample.value:g}"
    chosen = ", chosen" if sample.chosen else ""
    why = f". {item(sample.explanation)}" if sample.explanation else ""
    return f"- {sample.number}: {value}, {sample.tokens} tokens{chosen}{why}"


def _emoji(text: str) -> str:
    return markdown(one_line(text, joiners=True), joiners=True)


__all__ = ["essay_text", "transcript_text", "write_files"]
