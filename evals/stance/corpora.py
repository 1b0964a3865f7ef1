"""The licensed stance data: Perspectrum, its debate texts, key-point arguments.

Perspectrum: Chen et al. 2019, "Seeing Things from a Different Angle", CC BY-SA 4.0. ArgKP: Bar-Haim
et al. 2020, "From Arguments to Key Points", CDLA-Sharing 1.0.
"""

from __future__ import annotations

import csv
import hashlib
import json
from pathlib import Path
from typing import NamedTuple

from signatures.errors import ConfigError


class Cluster(NamedTuple):
    """One perspective in all its wordings: `side` is 1 for the claim, -1 against it."""

    side: int
    texts: tuple[str, ...]


class Claim(NamedTuple):
    """A claim of Perspectrum with its perspectives; `split` is train, dev or test."""

    id: int
    text: str
    split: str
    clusters: tuple[Cluster, ...]


class Sided(NamedTuple):
    """A text known to take a side of a claim: 1 for it, -1 against it."""

    claim: str
    text: str
    side: int


def perspectrum(folder: Path) -> list[Claim]:
    """All claims by id, split v1.0.

    Raises:
        ConfigError: The folder does not hold Perspectrum's files.
    """
    try:
        splits = json.loads((folder / "dataset_split_v1.0.json").read_text("utf-8"))
        claims = json.loads((folder / "perspectrum_with_answers_v1.0.json").read_text("utf-8"))
        pool = json.loads((folder / "perspective_pool_v1.0.json").read_text("utf-8"))
    except OSError as error:
        raise ConfigError(
            "Perspectrum cannot be read",
            expected="a folder with dataset_split_v1.0.json and its companions",
            got=f"{folder} ({error.strerror})",
            remedy="pass its folder",
        ) from error
    texts = {row["pId"]: row["text"] for row in pool}
    found = [
        Claim(
            row["cId"],
            row["text"],
            splits[str(row["cId"])],
            tuple(
                Cluster(
                    1 if cluster["stance_label_3"] == "SUPPORT" else -1,
                    tuple(texts[pid] for pid in cluster["pids"]),
                )
                for cluster in row["perspectives"]
            ),
        )
        for row in claims
    ]
    return sorted(found)


def debates(folder: Path) -> list[tuple[Sided, Sided]]:
    """Each argument of the debate sites twice: its headline, and its text."""
    path = folder / "evidence_corpus_debatewise_procon.jsonl"
    rows = [json.loads(line) for line in path.read_text("utf-8").splitlines()]
    found = []
    for row in rows:
        side = 1 if row["stance"] == "for" else -1
        pair = (Sided(row["claim"], row[field], side) for field in ("perspective", "text"))
        found.append(tuple(pair))
    return found  # type: ignore[return-value]  # a pair, built by a generator


def argkp(folder: Path) -> list[Sided]:
    """Crowd-written arguments and key points on propositions "We should ..."."""
    found = []
    for path in sorted(folder.glob("arguments_*.csv")) + sorted(folder.glob("key_points_*.csv")):
        field = "argument" if path.name.startswith("arguments") else "key_point"
        with path.open(encoding="utf-8", newline="") as file:
            found += [
                Sided(row["topic"], row[field], int(row["stance"])) for row in csv.DictReader(file)
            ]
    return found


def half_of(claim: str) -> str:
    """The half of a fixed split that a claim falls in: rules were tuned on ``dev`` alone."""
    return "dev" if hashlib.sha256(claim.encode()).digest()[0] % 2 == 0 else "test"
