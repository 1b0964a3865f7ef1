"""A debate as Markdown, for its file and for people at a terminal."""

from __future__ import annotations

from collections.abc import Callable

from modules.citations import references
from modules.markup import item, markdown, one_line
from signatures.results import DebateResult
from signatures.table import Closing, Recommendation, RoundNote, TableTurn

OPINION = "A model's opinion, given on request. The debate itself recommends nothing."

Shown = Callable[[str], str]


def debate_text(result: DebateResult, shown: Shown = markdown) -> str:
    """The whole debate: personas, rounds with references, votes, the chair.

    Args:
        result: What the flow returned.
        shown: What texts of models and documents pass through: by default, into Markdown.
    """
    names = {p.id: f"{shown(p.emoji)} {_line(p.title, shown)}" for p in result.personas}
    parts = [f"# {_line(result.topic, shown)}", "## Personas"]
    parts.append(
        "\n".join(
            f"- **{names[p.id]}** ({p.stance}): {_line(p.description, shown)} "
            f"*{_line(p.claim, shown)}*"
            for p in result.personas
        )
    )
    notes = {note.round: note for note in result.moderation}
    for number, turns in enumerate(result.rounds, start=1):
        parts.append(f"## Round {number}")
        parts += [_turn(turn, names, shown) for turn in turns]
        if number in notes:
            parts.append(_note(notes[number], shown))
    parts += _voted(result, names)
    if result.closing is not None:
        parts.append(_closing(result.closing, shown))
    if result.recommendation is not None:
        parts.append(_advice(result.recommendation, shown))
    return "\n\n".join(parts) + "\n"


def _turn(turn: TableTurn, names: dict[str, str], shown: Shown) -> str:
    answer = f", {turn.relation}s {turn.replies_to}" if turn.relation != "none" else ""
    cut = ", cut at the word limit" if turn.length == "cut" else ""
    head = f"### {turn.id} {names[turn.speaker]} ({turn.words} words{answer}{cut})"
    parts = [head, shown(turn.text)]
    if turn.citations:
        parts.append("\n".join(f"- {shown(line)}" for line in references(turn.citations)))
    return "\n\n".join(parts)


def _note(note: RoundNote, shown: Shown) -> str:
    question = f"\n\n*{_line(note.question, shown)}*" if note.question else ""
    return f"### Moderator\n\n{shown(note.summary)}{question}"


def _voted(result: DebateResult, names: dict[str, str]) -> list[str]:
    if not result.votes:
        return []
    who = {t.id: names[t.speaker] for r in result.rounds for t in r}
    agreed = [f"- {turn} {who[turn]}" for turn, vote in result.votes.items() if vote == "up"]
    other = [f"- {turn} {who[turn]}" for turn, vote in result.votes.items() if vote == "down"]
    parts = ["## Votes"]
    parts += ["Agreed:\n\n" + "\n".join(agreed)] if agreed else []
    parts += ["Disagreed:\n\n" + "\n".join(other)] if other else []
    return parts


def _closing(closing: Closing, shown: Shown) -> str:
    parts = ["## Where the table agrees", _list(closing.agreements, shown) or "On nothing stated."]
    parts.append("## Where it does not")
    for issue in closing.disagreements:
        lines = [f"**{_line(issue.issue, shown)}**", ""]
        lines += [
            f"- {', '.join(_line(s, shown) for s in p.speakers) or 'Some'}: {_line(p.view, shown)}"
            for p in issue.positions
        ]
        parts.append("\n".join(lines))
    if closing.open_questions:
        parts += ["## Open questions", _list(closing.open_questions, shown)]
    return "\n\n".join(parts)


def _advice(advice: Recommendation, shown: Shown) -> str:
    parts = ["## Recommendation", f"*{OPINION}*", shown(advice.advice)]
    parts.append(_list(advice.reasons, shown))
    parts.append(f"Against it: {shown(advice.against)}")
    if advice.depends_on:
        parts.append(f"It depends on:\n\n{_list(advice.depends_on, shown)}")
    return "\n\n".join(part for part in parts if part)


def _list(lines: list[str], shown: Shown) -> str:
    return "\n".join(f"- {_line(line, shown)}" for line in lines)


def _line(text: str, shown: Shown) -> str:
    return item(text) if shown is markdown else shown(one_line(text))


__all__ = ["OPINION", "debate_text"]
