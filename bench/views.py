"""Pairs of a point of view and a sentence, and answers made of points of view.

Training pairs come from Perspectrum's train claims and from ArgKP's train labels; berds and
Perspectrum's dev and test claims train nothing. A sentence states a view where people wrote it as
another wording of it, or where rules reworded it; it does not where it is a perspective on the
other side, another perspective on the same side, or a denial made by rule.
"""

from __future__ import annotations

import json
import random
import re
from pathlib import Path
from typing import NamedTuple

from bench import wording
from bench.claims import _rows  # the reader of ArgKP's files
from evals.stance.corpora import Claim, perspectrum
from modules.lm.extractive.stance import negate

_OPENINGS = (
    "On one view, {s}", "It can be held that {s}", "One answer is that {s}", "Yes: {s}",
    "There are those who maintain that {s}", "A first position is this: {s}",
)  # fmt: skip
_WAYS = (
    (r"\b(\w+(?: \w+){0,8}?) should not be\b", r"it would be wrong for \1 to be"),
    (r"\b(\w+(?: \w+){0,8}?) should be\b", r"it would be right for \1 to be"),
    (r"\bshould not\b", "ought not to"),
    (r"\bshould\b", "ought to"),
    (r"\bmust not\b", "may not"),
    (r"\bis not\b", "isn't"),
    (r"\bare not\b", "aren't"),
    (r"\bdo not\b", "don't"),
    (r"\bdoes not\b", "doesn't"),
    (r"\bcannot\b", "is not able to"),
    (r"\bwould not\b", "wouldn't"),
    (r"\bmore important than\b", "of greater weight than"),
    (r"\bbetter than\b", "preferable to"),
    (r"\bbeneficial\b", "of benefit"),
    (r"\bharmful\b", "damaging"),
    (r"\bnecessary\b", "needed"),
)  # fmt: skip


class Pair(NamedTuple):
    """A point of view, a sentence, and whether the sentence states it."""

    view: str
    said: str
    same: bool
    kind: str


class Case(NamedTuple):
    """An answer with a point of view that it states, or omits."""

    question: str
    answer: str
    view: str
    stated: bool


def restated(view: str, rng: random.Random) -> str:
    """The view in other words, by rule: what is asked and denied is put another way."""
    text = view.strip().rstrip(".")
    ways = [way for way in _WAYS if re.search(way[0], text)]
    if ways:
        pattern, with_ = rng.choice(ways[:3])
        text = re.sub(pattern, with_, text, count=1)
    present = wording._present(text, wording._SYNONYMS)
    for word in rng.sample(present, min(3, len(present))):
        text = wording._replaced(text, word, wording._SYNONYMS[word])
    first = text.split(" ")[0]
    lowered = text if first.isupper() or first == "I" else text[0].lower() + text[1:]
    if not ways or rng.random() < 0.6:
        return rng.choice(_OPENINGS).format(s=lowered) + "."
    return text[0].upper() + text[1:] + "."


def training(data: Path, n_claims: int, seed: int) -> list[Pair]:
    """Pairs from Perspectrum's train claims and ArgKP's train labels."""
    rng = random.Random(seed)
    claims = [c for c in perspectrum(data / "perspectrum") if c.split == "train"]
    found: list[Pair] = []
    for claim in rng.sample(claims, min(n_claims, len(claims))):
        found += _of_claim(claim, rng)
    return found + _key_points(data, 8 * n_claims, rng)


def _of_claim(claim: Claim, rng: random.Random) -> list[Pair]:
    clusters = [c for c in claim.clusters if c.texts]
    found = []
    for cluster in rng.sample(clusters, min(6, len(clusters))):
        view = rng.choice(cluster.texts)
        others = [t for t in cluster.texts if t != view]
        for text in others[:2]:
            found.append(Pair(view, text, True, "another wording"))
        found.append(Pair(view, restated(view, rng), True, "restated"))
        found.append(Pair(view, restated(negate(view), rng), False, "denied"))
        for side, kind in ((-cluster.side, "other side"), (cluster.side, "same side")):
            rest = [c for c in clusters if c.side == side and c is not cluster]
            for drawn in rng.sample(rest, min(2, len(rest))):
                found.append(Pair(view, rng.choice(drawn.texts), False, kind))
    thesis, denial = claim.text, negate(claim.text)
    for one, other in ((thesis, denial), (denial, thesis)):
        found.append(Pair(one, restated(one, rng), True, "thesis restated"))
        found.append(Pair(one, restated(other, rng), False, "thesis denied"))
    changed = wording.opposed(thesis, rng)
    if changed is not None:
        found.append(Pair(thesis, restated(changed, rng), False, "thesis turned"))
    return found


def _key_points(data: Path, limit: int, rng: random.Random) -> list[Pair]:
    folder = data / "argkp"
    points = {r["key_point_id"]: r for r in _rows(folder / "key_points_train.csv")}
    arguments = {r["arg_id"]: r for r in _rows(folder / "arguments_train.csv")}
    rows = _rows(folder / "labels_train.csv")
    rng.shuffle(rows)
    yes = [r for r in rows if r["label"] == "1"][: limit // 4]
    no = [r for r in rows if r["label"] == "0"][: limit // 8]
    found = []
    for row in yes:
        point, said = points[row["key_point_id"]], arguments[row["arg_id"]]["argument"]
        found.append(Pair(point["key_point"], said, True, "key point"))
        against = [
            p for p in points.values()
            if p["topic"] == point["topic"] and p["stance"] != point["stance"]
        ]  # fmt: skip
        if against:
            found.append(Pair(rng.choice(against)["key_point"], said, False, "other side's point"))
    for row in no:
        view = points[row["key_point_id"]]["key_point"]
        found.append(Pair(view, arguments[row["arg_id"]]["argument"], False, "another point"))
    return found


def berds(data: Path, *, reword: bool, seed: int) -> list[Case]:
    """Answers that state half of a question's perspectives; the rest of them is omitted."""
    rng = random.Random(seed)
    found = []
    for line in (data / "berds" / "questions_dev.jsonl").read_text("utf-8").splitlines():
        row = json.loads(line)
        views = list(dict.fromkeys(row["perspectives"]))
        if len(views) < 2:
            continue
        stated = set(rng.sample(range(len(views)), len(views) // 2))
        said = [restated(views[i], rng) if reword else views[i] for i in sorted(stated)]
        answer = "\n".join([f"This is asked: {row['question']}", *said])
        found += [Case(row["question"], answer, v, i in stated) for i, v in enumerate(views)]
    return found


def clusters(data: Path, split: str, seed: int, limit: int) -> list[Case]:
    """Answers that state one side's clusters of a claim, each by one wording.

    Asked for is another wording of what is stated, and the clusters of the other side.
    """
    rng = random.Random(seed)
    claims = [c for c in perspectrum(data / "perspectrum") if c.split == split]
    found = []
    for claim in rng.sample(claims, len(claims)):
        side = rng.choice((1, -1))
        stated = [c.texts for c in claim.clusters if c.side == side and len(set(c.texts)) > 1]
        omitted = [c.texts for c in claim.clusters if c.side != side and c.texts]
        if not stated or not omitted:
            continue
        stated, omitted = stated[:4], omitted[:4]
        drawn = [rng.sample(sorted(set(texts)), 2) for texts in stated]
        answer = "\n".join(said for said, _ in drawn)
        found += [Case(claim.text, answer, view, True) for _, view in drawn]
        found += [Case(claim.text, answer, rng.choice(texts), False) for texts in omitted]
        if len({c.question for c in found}) >= limit:
            break
    return found


def swapped(cases: list[Case]) -> list[Case]:
    """The stated cases, and for each the answer to another question."""
    stated = [c for c in cases if c.stated]
    turned = [*stated[len(stated) // 2 :], *stated[: len(stated) // 2]]
    strange = [
        a._replace(answer=b.answer, stated=False) for a, b in zip(stated, turned, strict=True)
    ]
    return [*stated, *(c for c in strange)]


__all__ = ["Case", "Pair", "berds", "clusters", "restated", "swapped", "training"]
