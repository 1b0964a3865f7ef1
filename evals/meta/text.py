"""A meta-evaluation as Markdown: S4's Tables 4, 2 and 3, and its stability figures as tables."""

from __future__ import annotations

from collections.abc import Sequence

from signatures.meta_results import MetaResult

ARROWS = {"higher": "↑", "lower": "↓"}


def markdown(result: MetaResult, *, pictures: bool = True) -> str:
    """The whole report."""
    parts = [
        f"# Meta-evaluation: {result.answers} answers to {result.questions} questions",
        *(f"> {note}" for note in result.notes),
        "## Models",
        _models(result),
        "Means over the questions on which every model has a value, with the rank in brackets. "
        "Normalized rank: the mean of (rank - 1) / (models - 1) over the measures of P.D. and "
        "D.A., 0 is best.",
        "## Measures",
        _grid(
            ["measure", "evaluator", "direction", "scored", "failed", "abstained"],
            [
                [m.name, m.evaluator or "", m.direction, m.n_scored, m.n_failed, m.n_abstained]
                for m in result.measures
            ],
        ),
    ]
    parts += _people(result)
    if result.labels:
        rows = [
            [v.measure, v.n, *map(_number, (v.accuracy, v.f1, v.auroc, v.mcc))]
            for v in result.labels
        ]
        head = ["measure", "answers", "accuracy", "F1", "AUROC", "MCC"]
        parts += ["## Dispute awareness against labels", _grid(head, rows)]
    if result.stability:
        rows = [
            [s.metric, s.over, s.first, s.second, _number(s.kendall), _number(s.agreement)]
            for s in result.stability
        ]
        head = ["metric", "over", "one", "other", "Kendall", "equal verdicts"]
        parts += ["## Stability", _grid(head, rows)]
    if pictures:
        parts += [f"![{name}]({name})" for name in result.files if name.endswith(".png")]
    if result.failures:
        parts += ["## Failures", "\n".join(f"- {line}" for line in result.failures)]
    return "\n\n".join(parts) + "\n"


def _models(result: MetaResult) -> str:
    main = [measure for measure in result.measures if measure.main]
    head = ["model", "answers", "length"]
    head += [f"{m.name} {ARROWS[m.direction]}" for m in main] + ["normalized rank"]
    rows = []
    for line in result.table:
        cells = [
            "-" if line.values[m.name] is None
            else f"{_number(line.values[m.name])} ({_rank(line.ranks[m.name])})"
            for m in main
        ]  # fmt: skip
        length = "-" if line.length is None else f"{line.length:.0f}"
        rows.append([line.model, line.answers, length, *cells, _number(line.normalized_rank)])
    return _grid(head, rows)


def _people(result: MetaResult) -> list[str]:
    people = result.human
    if people is None:
        return []
    models = sorted({model for ratings in people.ratings.values() for model in ratings})
    rows = [
        [annotator, *(f"{ratings[m]:.0f}" if m in ratings else "-" for m in models)]
        for annotator, ratings in people.ratings.items()
    ]
    agreed = "" if people.agreement is None else (
        f" Annotators agree with a mean Spearman correlation of {people.agreement:.2f}."
    )  # fmt: skip
    aligned = [
        [a.measure, a.models, _number(a.spearman), _number(a.kendall)] for a in result.alignment
    ]
    return [
        "## People",
        f"Elo ratings from {people.preferences} preferences.{agreed}",
        _grid(["annotator", *models], rows),
        "Rankings of models by measure against people's, averaged over annotators:",
        _grid(["measure", "models", "Spearman", "Kendall"], aligned),
    ]


def _grid(head: Sequence[str], rows: Sequence[Sequence[object]]) -> str:
    lines = [head, ["---"] * len(head), *rows]
    return "\n".join("| " + " | ".join(_cell(c) for c in line) + " |" for line in lines)


def _cell(value: object) -> str:
    return " ".join(str(value).replace("|", "\\|").split())


def _number(value: float | None) -> str:
    return "-" if value is None else f"{value:.3g}" if abs(value) >= 100 else f"{value:.2f}"


def _rank(value: float | None) -> str:
    return "-" if value is None else f"{value:g}"


__all__ = ["markdown"]
