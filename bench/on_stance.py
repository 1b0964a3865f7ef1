"""How many passages found for a side of a proposition argue that side, by retriever.

    moot ingest data/corpus
    python -m bench.on_stance
    python -m bench.on_stance --essays

Over the starter corpus, for and against each topic's proposition; with ``--essays``, of what the
extractive baseline's essays for and against it cite. Whether a text argues for its
proposition was told by reading each text's argument and conclusion; texts that weigh both sides
without a verdict count for neither.
"""

from __future__ import annotations

import argparse
from collections.abc import Sequence
from pathlib import Path
from typing import NamedTuple

import dspy
import numpy as np
from numpy.typing import NDArray

from evals.stance.ranking import interval
from modules.essay import EssaySettings, PersonaDebateProgram
from modules.lm.backends import ExtractiveBackend
from modules.lm.extractive.stance import negate
from modules.lm.ledger import Ledger
from modules.retrieval.aiming import aimed, search_aims
from modules.retrieval.converted import ConvertedMiniLM
from modules.retrieval.remember import RememberingRetriever
from modules.retrieval.specs import RetrieverSpec, StoreRetrieverSpec
from modules.retrieval.store import EvidenceStore
from modules.stance.model import StanceModel, stance_model
from modules.stance.passages import leanings
from modules.stance.retriever import StanceRetrieverSpec
from modules.vectors import remembering
from signatures.errors import MootError
from signatures.types import EssayStance, Passage

PROPOSITIONS = {
    "age-limit-for-office": "People over 80 should not be allowed to hold public office",
    "animal-testing": "Animal testing should be banned",
    "electronic-voting": "Electronic and internet voting should be allowed in state elections",
    "four-day-week": "Employers should adopt a four-day working week",
    "free-museums": "We should make all museums free of charge",
    "minimum-wage": "The minimum wage should be raised",
    "nuclear-power": "Countries should expand nuclear power",
    "school-uniforms": "Students should have to wear school uniforms",
    "social-media-under-sixteen": "Children under sixteen should be banned from social media",
    "space-colonization": "Humans should colonize space",
    "universal-basic-income": "Governments should introduce a universal basic income",
    "vaping": "Vaping products should be banned",
}

SIDES = {
    "age-limit-for-office": "+-+-+-+0-",
    "animal-testing": "-++-+-+-0",
    "electronic-voting": "-++0-+-+-",
    "four-day-week": "-+-+-0+-",
    "free-museums": "-++-0--++",
    "minimum-wage": "+-+0-+-+",
    "nuclear-power": "+-0+--++",
    "school-uniforms": "+--+0--+",
    "social-media-under-sixteen": "-++-+-+0",
    "space-colonization": "-++-0+-+",
    "universal-basic-income": "0--++-+-+",
    "vaping": "-+-++--0",
}
"""Topic -> of each numbered text, whether it argues for the proposition, against it, or neither."""

GOALS: dict[EssayStance, int] = {"support": 1, "refute": -1}

RETRIEVERS: dict[str, RetrieverSpec] = {
    "dense": StoreRetrieverSpec(mode="dense"),
    "hybrid": StoreRetrieverSpec(),
    "stance, weight 1": StanceRetrieverSpec(weight=1.0),
    "stance (weight 2)": StanceRetrieverSpec(),
    "stance, weight 4": StanceRetrieverSpec(weight=4.0),
}


def side_of(passage: Passage) -> int:
    """1, -1, or 0; 0 also for a text of no topic here."""
    name = passage.source.rpartition("/")[2]
    sides = SIDES.get(_topic(passage.source), "")
    place = int(name[:2]) - 1 if name[:2].isdigit() else len(sides)
    return {"+": 1, "-": -1}.get(sides[place], 0) if place < len(sides) else 0


def _topic(source: str) -> str:
    return source.rpartition("/")[0].rpartition("/")[2]


class Found(NamedTuple):
    """Of what was found or cited for a side of a topic: shares in [0, 1], nan where undefined.

    ``right``: on this side, of all that take a side of the topic. ``beside``: of other topics.
    """

    right: float
    beside: float


def shares(passages: Sequence[Passage], topic: str, side: int) -> Found:
    """What was found for a side."""
    own = [passage for passage in passages if _topic(passage.source) == topic]
    taken = [side_of(passage) for passage in own if side_of(passage)]
    right = float(np.mean([each == side for each in taken])) if taken else float("nan")
    return Found(right, 1 - len(own) / len(passages) if passages else float("nan"))


def essays(index: Path, embedder: ConvertedMiniLM) -> None:
    """Of the citations of an essay on each side of each proposition, the share on its side."""
    dspy.configure_cache(enable_disk_cache=False)
    backend = ExtractiveBackend()
    found: dict[str, NDArray[np.float64]] = {}
    for name, spec in RETRIEVERS.items():
        if "," in name:
            continue
        retriever = RememberingRetriever(spec.open(index, embedder))
        program = PersonaDebateProgram(EssaySettings(), retriever, remembering(embedder))
        with dspy.context(lm=backend.lm("writer", Ledger()), adapter=backend.adapter()):
            cited = [written(program, topic, goal) for topic in PROPOSITIONS for goal in GOALS]
        found[name] = told(name, cited)
    gain = found["stance (weight 2)"] - found["dense"]
    mean, low, high = interval(np.nanmean(gain.reshape(-1, 2), axis=1))
    print(f"{'stance - dense, paired':24}{mean:6.1f} [{low:.1f}, {high:.1f}]")


def written(program: PersonaDebateProgram, topic: str, goal: EssayStance) -> Found:
    """What an essay cites."""
    try:
        essay = program(subject=PROPOSITIONS[topic], goal=goal).essay
    except MootError as error:
        print(f"  no essay to {goal} {PROPOSITIONS[topic]!r}: {error.what}, got {error.got}")
        return Found(float("nan"), float("nan"))
    texts = [Passage(id="-", text="-", source=c.source, title="") for c in essay.citations]
    return shares(texts, topic, GOALS[goal])


def told(name: str, found: Sequence[Found]) -> NDArray[np.float64]:
    """Print a line on shares, for and against each topic in turn; returns those that are right."""
    values = np.array([each.right for each in found])
    mean, low, high = interval(np.nanmean(values.reshape(-1, 2), axis=1))
    supporting, against = 100 * np.nanmean(values[0::2]), 100 * np.nanmean(values[1::2])
    beside = 100 * np.nanmean([each.beside for each in found])
    print(
        f"{name:24}{mean:6.1f} [{low:.1f}, {high:.1f}]   for {supporting:5.1f}"
        f"   against {against:5.1f}   of other topics {beside:4.1f}",
        flush=True,
    )
    return values


def readers(index: Path, embedder: ConvertedMiniLM) -> None:
    """How often cues alone, and the whole model, take the side of a passage's text."""
    rows = EvidenceStore(index, embedder).rows()
    known = [Passage(id="-", text=row["text"], source=row["source"], title="") for row in rows]
    known = [p for p in known if side_of(p)]
    pairs = [(PROPOSITIONS[_topic(p.source)], p.text) for p in known]
    sides = np.array([side_of(p) for p in known])
    model = stance_model(embedder)
    scores = {
        "cues": model.readings(pairs).cues,
        "stance model": np.array([odds.polarity for odds in model.read(pairs)]),
        "by documents": _leaned(model, known),
    }
    for name, score in scores.items():
        right = np.where(score == 0, 0.5, np.sign(score) == sides)
        surest = np.argsort(-np.abs(score), kind="stable")[: len(right) // 4]
        print(
            f"{name:20}{100 * right.mean():6.1f} % of {len(right)} passages read aright, "
            f"{100 * right[surest].mean():.1f} % of the surest quarter"
        )


def _leaned(model: StanceModel, known: Sequence[Passage]) -> NDArray[np.float64]:
    """What the retriever goes by: passages of a topic read together, against their mean."""
    found = np.zeros(len(known))
    for topic, proposition in PROPOSITIONS.items():
        own = [at for at, p in enumerate(known) if _topic(p.source) == topic]
        found[own] = leanings(model, proposition, [known[at] for at in own]).sides
    return found


def main() -> None:
    """Print a line for each retriever."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else None)
    parser.add_argument("--index", type=Path, default=Path("artifacts/index"))
    parser.add_argument("--cache", type=Path, default=Path("artifacts/cache/openvino"))
    parser.add_argument("--k", type=int, default=5)
    parser.add_argument("--essays", action="store_true")
    options = parser.parse_args()
    embedder = ConvertedMiniLM(options.cache)
    if options.essays:
        essays(options.index, embedder)
        return
    readers(options.index, embedder)
    asked = [(topic, side) for topic in PROPOSITIONS for side in (1, -1)]
    aims = [
        aimed(text, text if side > 0 else negate(text), side)  # as a persona's is known
        for text, side in ((PROPOSITIONS[topic], side) for topic, side in asked)
    ]
    print(f"{len(aims)} searches, {options.k} passages each: % on the asked side, 95 % over topics")
    for name, spec in RETRIEVERS.items():
        brought = search_aims(spec.open(options.index, embedder), aims, options.k)
        told(name, [shares(own, *at) for own, at in zip(brought, asked, strict=True)])


if __name__ == "__main__":
    main()
