"""The table of an evaluation as Markdown, in the layout of S1's Table 1."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from signatures.evaluation_results import Comparison, EvaluationResult, MetricVariance, TableRow

S1_ORDER = ("relevance", "quality", "self_bleu", "self_emb", "opinion_diversity")
"""The columns of S1's Table 1, in its order; other metrics follow."""

ARROWS = {"higher": "↑", "lower": "↓"}

ITEMS = {"essay": "propositions", "answer": "questions"}

LEGEND = (
    "Values with their 95 % interval, items resampled ([–]: one item alone, or as the notes say); "
    "↑ higher is better, ↓ lower. Tokens, USD "
    "and seconds are means per text, as they were when it was made. p is of a paired permutation "
    "test, after Holm over all comparisons of the metric; below 0.05 a difference is called one. "
    "`least` is the least difference that would show in 8 of 10 such evaluations."
)


def title(result: EvaluationResult) -> str:
    """What was evaluated, in one line."""
    said = [
        f"{result.items} {ITEMS[result.kind]}",
        f"{result.replicates} {'text' if result.replicates == 1 else 'texts'} each",
        *([result.stance] if result.stance and result.kind == "essay" else []),
    ]
    return f"{result.dataset}: {', '.join(said)}"


def markdown(result: EvaluationResult, *, brief: bool = False) -> str:
    """Notes, then for each dataset and backend the table and its differences, then the counts.

    ``brief`` leaves out the differences in other metrics than the primary, and the counts.
    """
    parts = [f"# {title(result)}", _decides(result), *(f"> {note}" for note in result.notes)]
    several = len({row.dataset for row in result.table}) > 1
    for dataset, backend in dict.fromkeys((r.dataset, r.backend) for r in result.table):
        rows = [r for r in result.table if (r.dataset, r.backend) == (dataset, backend)]
        parts += [f"## {dataset}, {backend}" if several else f"## {backend}", _layout(rows)]
        told = [
            d for d in result.comparisons
            if (d.dataset, d.backend) == (dataset, backend)
            and (not brief or d.metric == result.primary)
        ]  # fmt: skip
        if told:
            parts += [f"Differences from {_bases(told)}, paired by item:", _deltas(told)]
    if result.variances:
        parts += ["## The judge's share", _variances(result.variances)]
    parts += [LEGEND] if brief else ["## Counts", _counts(result.table), LEGEND]
    return "\n\n".join(parts) + "\n"


def method_of(row: TableRow) -> str:
    """The method, with its prompt where prompts are compared."""
    return f"{row.method} + {row.prompt}" if row.prompt else row.method


def ordered(names: Iterable[str]) -> list[str]:
    """Metrics in the paper's order."""
    known = list(dict.fromkeys(names))
    first = [name for name in S1_ORDER if name in known]
    return [*first, *(name for name in known if name not in first)]


def number(value: float, ci: tuple[float, float] | None, sign: str = "") -> str:
    """A figure with its interval; three digits where two would show nothing."""
    largest = max(abs(x) for x in (value, *(ci or ())))
    digits = 4 if 5e-5 <= largest < 0.1 else 2
    ends = "" if ci is None else f" [{ci[0]:{sign}.{digits}f}, {ci[1]:{sign}.{digits}f}]"
    return f"{value:{sign}.{digits}f}{ends}"


def _decides(result: EvaluationResult) -> str:
    if result.primary_direction is None:
        return f"Primary metric: {result.primary}."
    return f"Primary metric: {result.primary}, {result.primary_direction} is better."


def _layout(rows: Sequence[TableRow]) -> str:
    """One line for each method, a column for each metric."""
    names = ordered(row.metric for row in rows)
    arrows = {row.metric: ARROWS[row.direction] for row in rows}
    head = ["method", *(f"{name} {arrows[name]}" for name in names)]
    lines = [[*head, "texts", "tokens", "USD", "s"]]
    for method in dict.fromkeys(map(method_of, rows)):
        own = {row.metric: row for row in rows if method_of(row) == method}
        any_row = next(iter(own.values()))
        usd = "unpriced" if any_row.usd is None else f"{any_row.usd:.4f}"
        tokens = "–" if any_row.tokens is None else f"{any_row.tokens:.0f}"
        seconds = "–" if any_row.seconds is None else f"{any_row.seconds:.1f}"
        if not any_row.texts:
            usd = "–"
        lines.append(
            [method, *(_value(own[n]) for n in names), str(any_row.texts), tokens, usd, seconds]
        )
    return _pipes(lines)


def _bases(told: Sequence[Comparison]) -> str:
    names = []
    for d in told:
        own = [f"`{d.b}`"] if d.b != d.a else []
        own += [f"`{d.b_backend}`"] if d.b_backend not in ("", d.backend) else []
        own += [f"the prompt `{d.b_prompt}`"] if d.b_prompt != d.prompt else []
        names += own
    return " and ".join(dict.fromkeys(names))


def versus(d: Comparison) -> str:
    """The cell that is compared, by what tells it from the other."""
    name = f"{d.a} + {d.prompt}" if d.prompt else d.a
    if d.b_backend not in ("", d.backend):
        return f"{name} ({d.backend} − {d.b_backend})"
    if d.b_prompt != d.prompt:
        return f"{d.a} ({d.prompt} − {d.b_prompt})"
    return name


def _deltas(differences: Sequence[Comparison]) -> str:
    lines = [["method", "metric", "difference", "p", "least", "n", ""]]
    for d in differences:
        if d.delta is not None:
            p = "–" if d.p_holm is None else f"{d.p_holm:.3f}"
            least = "–" if d.mde is None else number(d.mde, None)
            said = number(d.delta, d.ci, sign="+")
            lines.append([versus(d), d.metric, said, p, least, str(d.n), d.finding])
    return _pipes(lines) if len(lines) > 1 else "Nothing was scored on both sides."


def _variances(rows: Sequence[MetricVariance]) -> str:
    lines = [["metric", "dataset", "systems", "items", "system × item", "judge", "judge's error"]]
    for v in rows:
        spread = [number(x**0.5, None) for x in (v.system, v.item, v.interaction, v.judge)]
        lines.append([v.metric, v.dataset, *spread, f"± {number(1.96 * v.noise, None)}"])
    said = (
        f"Standard deviations over {rows[0].systems} cells and {rows[0].judgements} judgements of "
        "each text. The judge's error is what its own wavering puts on a cell's mean (95 %): "
        "smaller differences are no differences, however many items there are."
    )
    return f"{_pipes(lines)}\n\n{said}"


def _counts(rows: Sequence[TableRow]) -> str:
    """Scored / failed / abstained, always, for every cell and metric."""
    names = ordered(row.metric for row in rows)
    lines = [["cell", *names]]
    for key in dict.fromkeys((r.dataset, r.backend, method_of(r)) for r in rows):
        own = {r.metric: r for r in rows if (r.dataset, r.backend, method_of(r)) == key}
        counts = [f"{own[n].n_scored} / {own[n].n_failed} / {own[n].n_abstained}" for n in names]
        lines.append([" ".join(filter(None, key)), *counts])
    return f"{_pipes(lines)}\n\nScored / failed / abstained; only what is scored is averaged."


def _value(row: TableRow) -> str:
    counts = [
        f"{count} {what}"
        for count, what in ((row.n_failed, "failed"), (row.n_abstained, "abstained"))
        if count
    ]
    aside = f" ({', '.join(counts)})" if counts else ""
    if row.value is None:
        return "–" + aside
    return number(row.value, row.ci) + ("" if row.ci else " [–]") + aside


def _pipes(lines: Sequence[Sequence[str]]) -> str:
    head, *body = [f"| {' | '.join(line)} |" for line in lines]
    return "\n".join([head, f"|{'---|' * len(lines[0])}", *body])


__all__ = ["ARROWS", "ITEMS", "markdown", "method_of", "number", "ordered", "title", "versus"]
