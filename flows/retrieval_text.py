"""A retrieval benchmark for people: the tables of S3, for the tasks at hand."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from modules.markup import one_line
from signatures.retrieval_results import Ends, PlaceBias, RecallRow, RetrievalResult

SHOWN = 3
"""Places listed from each end, where a task has many; all of them are in tables.md."""

Table = list[list[str]]


def retrieval_lines(result: RetrievalResult, *, whole: bool = False) -> list[str]:
    """All tables as Markdown.

    Args:
        result: The figures.
        whole: Every row of every table, as in a file.
    """
    lines = [
        f"{one_line(result.retriever)}"
        f"{f' ({one_line(result.embedder)})' if result.embedder else ''} on "
        f"{one_line(result.dataset)}: {result.n_queries} queries, {result.n_documents} documents; "
        "in percent"
    ]
    golds = list(dict.fromkeys(row.gold for row in result.rows))
    for gold in golds:
        for k in dict.fromkeys(row.k for row in result.rows):
            lines += ["", f"p-Recall@{k}, {gold} gold", "", *_drawn(_recalls(result, gold, k))]
            if gold != golds[0] and not whole:
                continue
            for task in dict.fromkeys(row.task for row in result.labels):
                table = _labels(result, task, gold, k)
                if table:
                    title = f"Recall@{k} by kind of perspective, {task}, {gold} gold; * is worst"
                    lines += ["", title, "", *_drawn(table)]
    if result.differences:
        first = next(iter(result.rows))
        about = f"p-Recall@{first.k}, {first.gold} gold, above that of {_system(first)}"
        lines += ["", f"{about}; paired by root query", ""]
        lines += _drawn(_differences(result))
    if result.extraction:
        lines += ["", "Perspectives found in the queries, against the data's own", ""]
        lines += _drawn(_extraction(result))
    lines += ["", "Recall of root queries, and of queries with perspectives (clean gold)", ""]
    lines += _drawn(_roots(result))
    if result.bias.stances:
        lines += ["", "Sides among the relevant documents that root queries bring", ""]
        lines += _drawn(_sides(result))
    for retriever, task, k, rows in _placed(result):
        by = f"{retriever}, " if _several(result) else ""
        lines += ["", f"By label of documents, {by}{task}, first {k}", ""]
        lines += _drawn(_places(rows, whole))
    return lines


def _recalls(result: RetrievalResult, gold: str, k: int) -> Table:
    """Systems by tasks, as S3's Tables 2, 4 and 8; the last column with its interval."""
    rows = [row for row in result.rows if row.gold == gold and row.k == k]
    tasks = list(dict.fromkeys(row.task for row in rows))
    held = {(row.retriever, row.operation, row.task): row for row in rows}
    table = [_heads(result, *map(_task, tasks))]
    for system in dict.fromkeys((row.retriever, row.operation) for row in rows):
        cells = [held[*system, task] for task in tasks]
        widest = len(cells) - 1
        shown = [_figure(r.p_recall, r.ci if at == widest else None) for at, r in enumerate(cells)]
        table.append([*_named(result, *system), *shown])
    return table


def _differences(result: RetrievalResult) -> Table:
    """Systems by tasks: how far each is above the first; the gold and k of the first table."""
    gold, k = next((row.gold, row.k) for row in result.differences)
    rows = [row for row in result.differences if (row.gold, row.k) == (gold, k)]
    tasks = list(dict.fromkeys(row.task for row in rows))
    held = {(row.retriever, row.operation, row.task): row for row in rows}
    table = [_heads(result, *map(_task, tasks))]
    for system in dict.fromkeys((row.retriever, row.operation) for row in rows):
        cells = [held[*system, task] for task in tasks]
        shown = [f"{cell.delta:+.1f}{_between(cell.ci)}" for cell in cells]
        table.append([*_named(result, *system), *shown])
    return table


def _extraction(result: RetrievalResult) -> Table:
    """As S3's Table 6, with the formula it prints beside the measure it names."""
    table = [["task", "queries", "failed", "none seen", "QA-F1", "Jaccard as printed"]]
    for row in result.extraction:
        counts = [row.n_queries, row.n_failed, row.n_without]
        shown = [_figure(row.qa_f1), _figure(row.qa_jaccard)]
        table.append([one_line(row.task), *map(str, counts), *shown])
    return table


def _several(result: RetrievalResult) -> bool:
    return len({row.retriever for row in result.rows}) > 1


def _heads(result: RetrievalResult, *more: str) -> list[str]:
    return [*(["retriever"] if _several(result) else []), "operation", *more]


def _named(result: RetrievalResult, retriever: str, operation: str) -> list[str]:
    return [*([one_line(retriever)] if _several(result) else []), operation]


def _system(row: RecallRow) -> str:
    return f"{one_line(row.retriever)} {row.operation}".removesuffix(" none")


def _task(name: str) -> str:
    return "Avg." if name == "all" else one_line(name)


def _labels(result: RetrievalResult, task: str, gold: str, k: int) -> Table:
    """Operations by kinds of perspective, and the roots all of whose queries succeed."""
    rows = [r for r in result.labels if (r.task, r.gold, r.k) == (task, gold, k)]
    labels = list(dict.fromkeys(row.label for row in rows))
    if len(labels) < 2:
        return []
    held = {(row.retriever, row.operation, row.label): row for row in rows}
    every = {
        (row.retriever, row.operation): row.every
        for row in result.rows
        if (row.task, row.gold, row.k) == (task, gold, k)
    }
    counts = {row.label: row.n_queries for row in rows}
    heads = [f"{one_line(label)} ({counts[label]})" for label in labels]
    table = [_heads(result, *heads, "all of a root")]
    for system, whole in every.items():
        cells = [held[*system, label] for label in labels]
        shown = [f"{row.recall:.1f}{'*' if row.worst else ''}" for row in cells]
        table.append([*_named(result, *system), *shown, _figure(whole)])
    return table


def _roots(result: RetrievalResult) -> Table:
    many = _several(result)
    first = ["retriever"] if many else []
    table = [[*first, "task", "k", "root queries", "with perspectives"]]
    for row in result.recall_root:
        by = [one_line(row.retriever)] if many else []
        shown = [_figure(row.value, row.ci), _figure(row.queries)]
        table.append([*by, one_line(row.task), str(row.k), *shown])
    return table


def _sides(result: RetrievalResult) -> Table:
    """As S3's Table 3, with what availability alone would give."""
    many = _several(result)
    first = ["retriever"] if many else []
    table = [[*first, "task", "k", "side", "hits", "share", "expected", "normalized"]]
    for row in result.bias.stances:
        shares = [_figure(each) for each in (row.share, row.expected, row.normalized)]
        by = [one_line(row.retriever)] if many else []
        about = [one_line(row.task), str(row.k), one_line(row.label), str(row.n_hits)]
        table.append([*by, *about, *shares])
    return table


def _placed(result: RetrievalResult) -> Iterator[tuple[str, str, int, list[PlaceBias]]]:
    held: dict[tuple[str, str, int], list[PlaceBias]] = {}
    for row in result.bias.places:
        held.setdefault((row.retriever, row.task, row.k), []).append(row)
    yield from ((*at, rows) for at, rows in held.items())


def _places(rows: Sequence[PlaceBias], whole: bool) -> Table:
    """Best served first; the middle of a long list is left out unless all are wanted."""
    ordered = sorted(rows, key=lambda row: (-(row.recall or -1), -row.brought_by_roots, row.label))
    table = [["label", "documents", "brought by roots", "asked for", "recall", "from there"]]
    for row in ordered:
        shares = [_figure(row.recall), _figure(row.desired)]
        counts = [row.n_documents, row.brought_by_roots, row.n_queries]
        table.append([one_line(row.label), *map(str, counts), *shares])
    if whole or len(rows) <= 2 * SHOWN + 1:
        return table
    return [*table[: SHOWN + 1], ["..."] + [""] * 5, *table[-SHOWN:]]


def _figure(value: float | None, ci: Ends | None = None) -> str:
    if value is None:
        return "-"
    return f"{value:.1f}" + (f" [{ci[0]:.1f}, {ci[1]:.1f}]" if ci else "")


def _between(ci: Ends | None) -> str:
    return f" [{ci[0]:+.1f}, {ci[1]:+.1f}]" if ci else ""


def _drawn(table: Table) -> list[str]:
    """A Markdown table whose columns are aligned for reading as it is."""
    widths = [max(len(row[at]) for row in table) for at in range(len(table[0]))]

    def line(row: Sequence[str]) -> str:
        cells = [row[0].ljust(widths[0])]
        cells += [cell.rjust(width) for cell, width in zip(row[1:], widths[1:], strict=True)]
        return f"| {' | '.join(cells)} |"

    rule = "|".join([f"{'-' * (widths[0] + 2)}"] + [f"{'-' * (w + 1)}:" for w in widths[1:]])
    return [line(table[0]), f"|{rule}|", *map(line, table[1:])]


__all__ = ["retrieval_lines"]
