"""Human evaluation (S1 appendix B): blind, shuffled sheets, and what the judges' ranks say.

Each judge gets the same items in an order of their own, the texts of an item shuffled and called
A, B, C. Which letter is which system stands in the key alone. For each aspect the judge writes a
rank beside every text, 1 for the best; equal ranks are ties.

Scores: the paper's text subtracts a text's position from the number n of texts (n - rank), its
example gives the best of three a 3 (n - rank + 1). The scores of its Table 2, all near 2 for
n = 3, can only come of the example, so that is the default here. Ranks are read as an order: a
position is 1 + the number of texts ranked better, so 1, 1, 2 and 1, 1, 3 say the same.
"""

from __future__ import annotations

import csv
import io
import random
from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from string import ascii_uppercase
from typing import Any, Literal, NamedTuple

from evals import rows
from evals.rows import Loaded
from evals.statistics import interval
from signatures.errors import InputError
from signatures.types import Record

Rule = Literal["example", "text"]

ASPECTS = ("persuasiveness", "overall")
"""What S1's judges rank by."""

HEAD = ("item", "label", "proposition", "text")
_FORMULA = ("=", "+", "-", "@", "\t", "\r")


class Candidate(NamedTuple):
    """One text of an item and the system that wrote it."""

    system: str
    text: str


class Key(Record):
    """What the sheets hide: for each judge, item and letter the system.

    ``sheets`` maps judge -> item -> letter -> system; ``items`` maps an item to its proposition.
    """

    seed: int
    aspects: list[str]
    items: dict[str, str]
    sheets: dict[str, dict[str, dict[str, str]]]


class Standing(Record):
    """What the judges think of one system in one aspect.

    ``score`` is the mean over judgements, ``ci`` its 95 % interval, clustered by item; ``first``
    is the share of judgements that put it first, ties included; ``n`` counts the judgements.
    """

    aspect: str
    system: str
    score: float
    ci: tuple[float, float] | None
    first: float
    n: int


class Ranking(Record):
    """The standings, best first within an aspect, and what could not be used."""

    rule: str
    standings: list[Standing]
    unused: list[str]


class _Vote(NamedTuple):
    """One judge's order of one item in one aspect: system -> position from 1."""

    item: str
    positions: dict[str, int]


def gather(loaded: Iterable[Loaded]) -> dict[str, list[Candidate]]:
    """Proposition -> one text per system, for propositions that at least two systems wrote on.

    Of a row with several outputs the first counts. A system is a row's ``system``, or its
    ``method`` and backend (or writer).

    Raises:
        InputError: A row cannot be used, or no proposition has texts of two systems.
    """
    found: dict[str, dict[str, str]] = {}
    for one in loaded:
        if one.row is None:
            raise InputError(f"the row {one.id} cannot be used", got=one.problem)
        about = " ".join(rows.subject(one.row).split())
        found.setdefault(about, {}).setdefault(_system(one), rows.texts(one.row)[0])
    kept = {
        about: [Candidate(system, text) for system, text in sorted(texts.items())]
        for about, texts in found.items()
        if len(texts) > 1
    }
    if not kept:
        raise InputError("there is nothing to rank", expected="texts of two systems on a subject")
    if any(len(texts) > len(ascii_uppercase) for texts in kept.values()):
        raise InputError("too many texts to rank", expected=f"at most {len(ascii_uppercase)}")
    return kept


def sheets(
    texts: Mapping[str, Sequence[Candidate]],
    *,
    judges: int,
    items: int | None = None,
    aspects: Sequence[str] = ASPECTS,
    seed: int = 0,
) -> tuple[dict[str, str], Key]:
    """The judges' sheets as CSV, by judge, and the key to them.

    Args:
        texts: Proposition -> its texts (:func:`gather`).
        judges: How many sheets there are.
        items: How many propositions are drawn; None takes all (S1: 30).
        aspects: What is ranked by.
        seed: Of the draw and of all shuffling.
    """
    rng = random.Random(seed)
    chosen = sorted(texts)
    if items is not None and items < len(chosen):
        chosen = sorted(rng.sample(chosen, items))
    names = {str(number): about for number, about in enumerate(chosen, start=1)}
    made: dict[str, str] = {}
    key: dict[str, dict[str, dict[str, str]]] = {}
    for judge in (f"judge-{number}" for number in range(1, judges + 1)):
        order = rng.sample(list(names), len(names))
        shuffled = {item: rng.sample(texts[names[item]], len(texts[names[item]])) for item in order}
        made[judge] = _csv(shuffled, names, aspects)
        key[judge] = {
            item: {ascii_uppercase[i]: c.system for i, c in enumerate(candidates)}
            for item, candidates in shuffled.items()
        }
    return made, Key(seed=seed, aspects=list(aspects), items=names, sheets=key)


def ranking(
    filled: Mapping[str, str], key: Key, *, rule: Rule = "example", seed: int = 0
) -> Ranking:
    """What the filled sheets say.

    An item that a judge has not ranked completely in an aspect is left out there and named.

    Args:
        filled: Judge -> the sheet as CSV.
        key: The key the sheets were made with.
        rule: ``example`` scores n - rank + 1, ``text`` n - rank.
        seed: Of the bootstrap.

    Raises:
        InputError: A sheet is none of the key's, or nothing in them can be used.
    """
    votes: dict[str, list[_Vote]] = defaultdict(list)
    unused: list[str] = []
    for judge, text in sorted(filled.items()):
        if judge not in key.sheets:
            raise InputError(f"the key knows no {judge}", expected=", ".join(sorted(key.sheets)))
        _read(judge, text, key, votes, unused)
    if not votes:
        raise InputError("no item is ranked completely", got="; ".join(unused[:3]) or None)
    standings = [
        _standing(aspect, system, votes[aspect], 1 if rule == "example" else 0, seed)
        for aspect in key.aspects
        for system in sorted({s for vote in votes[aspect] for s in vote.positions})
    ]
    order = {aspect: place for place, aspect in enumerate(key.aspects)}
    standings.sort(key=lambda s: (order[s.aspect], -s.score, s.system))
    said = "n - rank + 1" if rule == "example" else "n - rank"
    return Ranking(rule=said, standings=standings, unused=unused)


def positions(ranks: Mapping[str, float]) -> dict[str, int]:
    """Each one's position from 1: one more than the number of those ranked better."""
    return {name: 1 + sum(r < own for r in ranks.values()) for name, own in ranks.items()}


def _system(one: Loaded) -> str:
    row = one.row or {}
    if row.get("system"):
        return str(row["system"])
    parts = [row.get("method"), row.get("backend") or row.get("writer")]
    named = [str(part) for part in parts if part]
    if not named:
        raise InputError(f"the row {one.id} does not say whose text it is", expected="system")
    return " on ".join(named)


def _csv(
    shuffled: Mapping[str, Sequence[Candidate]], names: Mapping[str, str], aspects: Sequence[str]
) -> str:
    out = io.StringIO()
    writer = csv.writer(out, lineterminator="\r\n")
    writer.writerow([*HEAD, *aspects])
    for item, candidates in shuffled.items():
        for letter, candidate in zip(ascii_uppercase, candidates, strict=False):
            shown = [item, letter, _inert(names[item]), _inert(candidate.text)]
            writer.writerow([*shown, *("" for _ in aspects)])
    return out.getvalue()


def _inert(text: str) -> str:
    """A cell that no spreadsheet takes for a formula."""
    return f"'{text}" if text.startswith(_FORMULA) else text


def _read(
    judge: str, text: str, key: Key, votes: dict[str, list[_Vote]], unused: list[str]
) -> None:
    """Add a sheet's votes, and say which items it left open."""
    table = _table(judge, text, key.aspects)
    for item, letters in key.sheets[judge].items():
        for aspect in key.aspects:
            given = {letter: table.get((item, letter), {}).get(aspect) for letter in letters}
            ranks = {letter: _rank(value) for letter, value in given.items()}
            wrong = sorted(letter for letter, rank in ranks.items() if rank is None)
            if wrong:
                shown = ", ".join(f"{x} ({given[x] or 'blank'})" for x in wrong)
                unused.append(f"{judge}, item {item}, {aspect}: no rank for {shown}")
                continue
            usable = {letter: rank for letter, rank in ranks.items() if rank is not None}
            found = positions(usable)
            votes[aspect].append(_Vote(item, {letters[x]: place for x, place in found.items()}))


def _table(judge: str, text: str, aspects: Sequence[str]) -> dict[tuple[str, str], dict[str, Any]]:
    # Spreadsheets write a byte order mark, and semicolons where the comma is a decimal point.
    text = text.removeprefix("\ufeff")
    delimiter = ";" if text.partition("\n")[0].count(";") > 2 else ","
    reader = csv.DictReader(io.StringIO(text, newline=""), delimiter=delimiter)
    missing = {"item", "label", *aspects} - set(reader.fieldnames or ())
    if missing:
        raise InputError(f"the sheet of {judge} lacks columns", got=", ".join(sorted(missing)))
    return {(str(row["item"]).strip(), str(row["label"]).strip()): row for row in reader}


def _rank(value: Any) -> float | None:
    """A rank as a judge wrote it: a number from 1 on; halves are fine, as they only order."""
    try:
        rank = float(str(value).strip().replace(",", "."))
    except ValueError:
        return None
    return rank if 1 <= rank <= len(ascii_uppercase) else None


def _standing(aspect: str, system: str, votes: Sequence[_Vote], bonus: int, seed: int) -> Standing:
    mine = [vote for vote in votes if system in vote.positions]
    scores = [float(len(v.positions) - v.positions[system] + bonus) for v in mine]
    ends = interval(scores, [vote.item for vote in mine], seed=seed)
    known = None if ends.low is None or ends.high is None else (ends.low, ends.high)
    return Standing(
        aspect=aspect,
        system=system,
        score=sum(scores) / len(scores),
        ci=known,
        first=sum(vote.positions[system] == 1 for vote in mine) / len(mine),
        n=len(mine),
    )


__all__ = [
    "ASPECTS",
    "Candidate",
    "Key",
    "Ranking",
    "Rule",
    "Standing",
    "gather",
    "positions",
    "ranking",
    "sheets",
]
