"""Discussions and their figures as Markdown."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence

from evals.moderation import Figures, side_of
from modules.markup import blockquote, item
from signatures.moderation import Criterion, Discussion
from signatures.moderation_results import (
    Agreement,
    Analysis,
    AnnotateResult,
    DiscussResult,
    UnitFailure,
)


def transcripts_text(discussions: Sequence[Discussion]) -> str:
    """Every discussion, every turn a quotation."""
    parts = ["# Discussions"]
    for d in discussions:
        people = ", ".join(f"{item(a.name)} ({item(', '.join(a.attributes))})" for a in d.actors)
        parts += [f"## {item(d.id)}", f"{side_of(d)}; {people}", blockquote(d.context)]
        for turn in d.turns:
            head = f"**{turn.id} {item(turn.actor)}** (round {turn.round}, {turn.action})"
            why = f": {item(turn.reason)}" if turn.reason else ""
            parts.append(f"{head}{why}" + (f"\n\n{blockquote(turn.text)}" if turn.text else ""))
        parts.append(f"The discussion ended: {d.ended.replace('_', ' ')}.")
    return "\n\n".join(parts) + "\n"


def report_text(figures: Figures, criteria: Mapping[str, Criterion]) -> str:
    """Agreement, effects and backgrounds as tables, with the plots."""
    parts = ["# Ratings"]
    for name in sorted(figures.agreement):
        parts += [f"## {item(name)}", *_agreement(figures, name), *_effects(figures.analysis, name)]
        parts += _backgrounds(figures.analysis, name)
        plots = ("ratings", "trajectories", "annotators", "polarization")
        if figures.agreement[name].n_ratings:
            parts.append("\n".join(f"![{plot}](plots/{name}_{plot}.png)" for plot in plots))
    return "\n\n".join(parts) + "\n"


def _agreement(figures: Figures, name: str) -> list[str]:
    a = figures.agreement[name]
    missing = f"{a.n_failed} failed, {a.n_abstained} abstained"
    rows = [
        ["ratings", f"{a.n_ratings} of {a.n_comments} comments ({missing})"],
        ["Krippendorff's alpha, nominal", number(a.krippendorff_alpha.nominal)],
        ["Krippendorff's alpha, ordinal", number(a.krippendorff_alpha.ordinal)],
        ["Krippendorff's alpha, interval", number(a.krippendorff_alpha.interval)],
        ["Fleiss' kappa", number(a.fleiss_kappa)],
        ["mean nDFU", number(a.ndfu)],
        ["mean rating", number(a.mean)],
    ]
    return [table(["figure", "value"], rows)]


def _effects(analysis: Analysis, name: str) -> list[str]:
    parts = []
    for e in (e for e in analysis.effects if e.criterion == name):
        said = (
            f"Moderated minus unmoderated, {e.n_pairs} pairs on {e.n_topics} topics: "
            f"{number(e.delta)} [{number(e.low)}, {number(e.high)}], permutation p {number(e.p)}."
        )
        parts.append(said)
    for r in (r for r in analysis.regressions if r.criterion == name):
        if r.reason is not None:
            parts.append(f"No regression: {r.reason}.")
            continue
        rows = [
            [t.term, number(t.estimate), number(t.se), f"[{number(t.low)}, {number(t.high)}]",
             number(t.p)]
            for t in r.terms
        ]  # fmt: skip
        head = ["term", "estimate", "se by discussion", "95 % interval", "p"]
        parts.append(table(head, rows))
        parts.append(f"{r.n_ratings} ratings of users' comments in {r.n_discussions} discussions.")
    return parts


def _backgrounds(analysis: Analysis, name: str) -> list[str]:
    rows = [
        [b.annotator, str(b.n_ratings), str(b.n_missing), number(b.mean), number(b.ndfu),
         " ".join(map(str, b.histogram))]
        for b in analysis.backgrounds
        if b.criterion == name
    ]  # fmt: skip
    head = ["annotator", "ratings", "missing", "mean", "nDFU of all", "histogram"]
    return [table(head, rows)]


def discuss_lines(result: DiscussResult) -> list[str]:
    """What a discuss run came to, for a terminal."""
    c = result.counts
    lines = [_talk(one) for one in result.discussions] if c.discussions == 1 else []
    lines += [
        f"{c.discussions} discussions, {c.turns} turns: {c.comments} comments, "
        f"{c.silent} silences, {c.failed} failed, {c.abstained} abstained; "
        f"{c.bans} bans, {c.left} users left"
    ]
    return lines + rating_lines(result.agreement, result.analysis, result.failures)


def _talk(discussion: Discussion) -> str:
    """What was said, and what was done beside it."""
    said = []
    for turn in discussion.turns:
        told = "" if turn.action in ("comment", "reply") else f" [{turn.action}]"
        why = f" ({turn.reason})" if turn.reason and not turn.text else ""
        said.append(f"{turn.actor}{told}: {turn.text}{why}")
    return "\n".join([*said, ""])


def annotate_lines(result: AnnotateResult) -> list[str]:
    """What an annotate run came to, for a terminal."""
    lines = []
    for kind in ("discussion", "annotation", "skipped"):
        own = [a for a in result.accounts if a.kind == kind]
        if not own:
            continue
        rows, taken = sum(a.rows for a in own), sum(a.taken for a in own)
        said = f"{len(own)} {kind} files: {taken} of {rows} rows taken"
        if kind == "annotation":
            missing = sum(a.missing for a in own)
            said += f", {sum(a.rated for a in own)} of them ratings and {missing} no numbers"
        lines.append(said if kind != "skipped" else f"{len(own)} files skipped")
    return lines + rating_lines(result.agreement, result.analysis, result.failures)


def rating_lines(
    agreement: Mapping[str, Agreement], analysis: Analysis | None, failures: Sequence[UnitFailure]
) -> list[str]:
    """Agreement and the effect of moderation, a few lines for each criterion."""
    lines = []
    for name, a in sorted(agreement.items()):
        alphas = a.krippendorff_alpha
        lines.append(
            f"{name}: {a.n_ratings} ratings of {a.n_comments} comments ({a.n_failed} failed, "
            f"{a.n_abstained} abstained), mean {number(a.mean)}"
        )
        lines.append(
            f"  alpha nominal {number(alphas.nominal)}, ordinal {number(alphas.ordinal)}, "
            f"interval {number(alphas.interval)}; Fleiss' kappa {number(a.fleiss_kappa)}; "
            f"mean nDFU {number(a.ndfu)}"
        )
    for e in analysis.effects if analysis is not None else ():
        said = f"  {e.criterion}, moderated - unmoderated: {number(e.delta)}"
        if e.delta is None:
            said = f"  {e.criterion}: no discussions that differ in moderation alone"
        else:
            said += f" [{number(e.low)}, {number(e.high)}], p {number(e.p)}, {e.n_pairs} pairs"
        lines.append(said)
    if analysis is not None:
        lines.append(f"{len(analysis.controversial)} controversial comments")
    return lines + [f"failed: {f.unit}: {f.reason}" for f in failures]


def table(head: Sequence[str], rows: Sequence[Sequence[str]]) -> str:
    """A Markdown table; cells are one line each."""
    lines = [_row(map(item, head)), _row(["---"] * len(head))]
    return "\n".join([*lines, *(_row(map(item, row)) for row in rows)])


def _row(cells: Iterable[str]) -> str:
    return f"| {' | '.join(cell.replace('|', '/') for cell in cells)} |"


def number(value: float | None) -> str:
    """A figure with three digits, or that there is none."""
    return "undefined" if value is None else f"{value:.3f}"


__all__ = [
    "annotate_lines",
    "discuss_lines",
    "number",
    "report_text",
    "table",
    "transcripts_text",
]
