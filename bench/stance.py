"""How often the stance reader takes the right side, on claims it was not tuned on.

    python -m bench.stance --data ../shared/data
    python -m bench.stance --reader model --sets argkp

Claims are split in two by a fixed hash; `--half dev` shows the half that tuning looked at. The cue
reader saw none of the other half. The stance model saw none of its key-point propositions, but
debates of either half: its figures hold for `--sets argkp` alone.
"""

from __future__ import annotations

import argparse
import csv
import json
import sys
from collections import defaultdict
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from pathlib import Path
from typing import NamedTuple

from evals.stance.corpora import half_of as half_of
from modules.lm.extractive.stance import StanceReader
from modules.retrieval.converted import ConvertedMiniLM
from modules.stance import stance_model

Scores = Callable[[str, list[str]], list[float]]
"""A claim and texts to a score for each text, above 0 for the claim."""

UNCLEAR = 0.05  # a score this near 0 counts as no answer


class Item(NamedTuple):
    """One text with the side it is known to take: 1 for the claim, -1 against it."""

    claim: str
    text: str
    side: int


class Reading(NamedTuple):
    """One scored text; `right` is 0.5 where the score is exactly 0."""

    score: float
    right: float


@dataclass(frozen=True)
class Figures:
    """Shares in [0, 1] over the texts of one data set."""

    texts: int
    claims: int
    majority: float
    accuracy: float
    macro: float
    coverage: float
    covered: float
    top: float


def load_perspectrum(path: Path, field: str) -> list[Item]:
    """Texts of the evidence corpus; `field` is `text` or `perspective`."""
    rows = [json.loads(line) for line in path.read_text("utf-8").splitlines()]
    return [Item(r["claim"], r[field], 1 if r["stance"] == "for" else -1) for r in rows]


def load_argkp(paths: Iterable[Path]) -> list[Item]:
    """Single-sentence arguments of the key-point data, on propositions "We should ..."."""
    items = []
    for path in paths:
        with path.open(encoding="utf-8", newline="") as file:
            rows = csv.DictReader(file)
            items += [Item(r["topic"], r["argument"], int(r["stance"])) for r in rows]
    return items


def by_cues(claim: str, texts: list[str]) -> list[float]:
    """The extractive engine's reader."""
    return StanceReader(claim).scores(texts)


def by_model(cache: Path) -> Scores:
    """The stance model."""
    model = stance_model(ConvertedMiniLM(cache))
    return lambda claim, texts: [o.polarity for o in model.read([(claim, t) for t in texts])]


def read_claim(claim: str, items: list[Item], by: Scores) -> list[Reading]:
    """The texts of one claim, most confident first."""
    scores = by(claim, [item.text for item in items])
    read = [
        Reading(score, 0.5 if score == 0 else float((score > 0) == (item.side > 0)))
        for score, item in zip(scores, items, strict=True)
    ]
    return sorted(read, key=lambda reading: -abs(reading.score))


def mean(readings: Iterable[Reading]) -> float:
    """Share of right readings; 0 for none, which only an empty data set has."""
    values = [reading.right for reading in readings]
    return sum(values) / len(values) if values else 0.0


def measure(items: list[Item], by: Scores) -> Figures:
    """All figures of one data set."""
    by_claim: dict[str, list[Item]] = defaultdict(list)
    for item in items:
        by_claim[item.claim].append(item)
    read = [read_claim(claim, members, by) for claim, members in by_claim.items()]
    every = [reading for claim in read for reading in claim]
    covered = [reading for reading in every if abs(reading.score) > UNCLEAR]
    supporting = sum(item.side > 0 for item in items) / len(items)
    return Figures(
        texts=len(every),
        claims=len(read),
        majority=max(supporting, 1 - supporting),
        accuracy=mean(every),
        macro=sum(map(mean, read)) / len(read),
        coverage=len(covered) / len(every),
        covered=mean(covered),
        top=mean(r for claim in read for r in claim[: max(1, len(claim) // 4)]),
    )


def sources(data: Path) -> dict[str, Callable[[], list[Item]]]:
    """Data sets by name; the key-point arguments are left out where they are absent."""
    corpus = data / "perspectrum" / "evidence_corpus_debatewise_procon.jsonl"
    if not corpus.is_file():
        print(f"bench/stance.py: {corpus} not found; pass --data FOLDER", file=sys.stderr)
        raise SystemExit(2)
    found: dict[str, Callable[[], list[Item]]] = {
        "perspectrum texts": lambda: load_perspectrum(corpus, "text"),
        "perspectrum perspectives": lambda: load_perspectrum(corpus, "perspective"),
    }
    arguments = sorted((data / "argkp").glob("arguments_*.csv"))
    if arguments:
        found["argkp arguments"] = lambda: load_argkp(arguments)
    return found


def main() -> None:
    """Print one line of figures for each data set."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else None)
    parser.add_argument("--data", type=Path, default=Path("../shared/data"))
    parser.add_argument("--half", choices=("dev", "test"), default="test")
    parser.add_argument("--reader", choices=("cues", "model"), default="cues")
    parser.add_argument("--sets", default="", help="only data sets whose names begin so")
    parser.add_argument("--cache", type=Path, default=Path("artifacts/cache/openvino"))
    options = parser.parse_args()
    by = by_cues if options.reader == "cues" else by_model(options.cache)
    found = {n: f for n, f in sources(options.data).items() if n.startswith(options.sets)}
    heads = ("texts", "claims", "majority", "accuracy", "macro", "coverage", "covered", "top")
    print(f"{options.half + ' half':26}" + "".join(f"{head:>9}" for head in heads))
    for name, load in found.items():
        items = [item for item in load() if half_of(item.claim) == options.half]
        row = measure(items, by)
        shares = (row.majority, row.accuracy, row.macro, row.coverage, row.covered, row.top)
        cells = "".join(f"{100 * share:9.1f}" for share in shares)
        print(f"{name:26}{row.texts:9d}{row.claims:9d}{cells}")


if __name__ == "__main__":
    main()
