"""Evidence stages: what is retrieved for a subject, for each persona, for each part of a plan."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from functools import cache
from statistics import fmean
from typing import Any, Protocol, Self

from modules.retrieval.aiming import aimed, search_aims
from modules.stage import Stage
from modules.text import STOPWORDS, tokens
from signatures.errors import EvidenceError
from signatures.types import SIGNS, EssayStance, Evidence, PartEvidence, Passage, Plan, Pool

_CLOSEST = 5
"""Passages whose mean cosine counts: one or two can be close by accident."""

_NEAR = 12
"""Passages in which the subject's words are looked for."""

_IRRELEVANT = 0.2
"""The cosine below which a passage is dropped. Passages of one topic lie at 0.3 to 0.8 from its
proposition, those of unrelated topics at about 0.1: only full text's accidental hits go."""

_ENGLISH = 0.25
"""A text with a larger share of English function words and general words is English."""

_NAME = re.compile(r"\b[A-Z]\w+(?: [A-Z]\w+)+")

_GENERAL = """
    abandon abolish accept adopt adult age allow american apply argue bad ban bar become begin
    benefit best better big bring build can case cause cease change charge cheap child children
    choose
    citizen claim common compulsory control cost country create cut deserve dramatic duty easy
    economy end enact end enforce entitle establish every everyone exist expand fair family
    finance force forbid free full fund general get give go good government grant great grow half
    harm have hard high help illegal impose improve increase individual introduce join just justify
    keep kid large law lead legal legalise less let life limit little long low lower made maintain
    make man mandatory may mean men might million minor money month moral must nation national
    need never new norm nothing number one oppose order outlaw parent party pay paid people
    percent permit person place point policy poor possess possible power prevent prohibit promote
    protect provide public put raise reason reduce regulate reintroduce reject remain remove
    repeal replace require responsible restrict return right rule school scrap serious set
    shall small social society some start state stop strict subsidise subsidy support take taken
    thing time today two unacceptable use used useful value wait want waste way week woman women
    work world worse worth wrong year young"""


_GOALS: dict[EssayStance, float] = {"support": 1.0, "refute": -1.0}


class Retriever(Protocol):
    """Finds passages. ``identity`` changes whenever the same query could find others."""

    def search(self, queries: Sequence[str], k: int) -> list[list[Passage]]:
        """For each query the ``k`` best passages, best first."""
        ...

    def identity(self) -> dict[str, Any]: ...


class NoEvidence:
    """The retriever of ``evidence=none``: finds nothing, on purpose."""

    def search(self, queries: Sequence[str], k: int) -> list[list[Passage]]:
        return [[] for _ in queries]

    def identity(self) -> dict[str, Any]:
        return {"retriever": "none"}


class EvidenceStage(Stage):
    """A stage over a retriever; what the retriever can find is part of its identity."""

    def __init__(self, retriever: Retriever, **settings: Any) -> None:
        super().__init__(**settings)
        self.retriever = retriever

    def identity(self) -> dict[str, Any]:
        return {**super().identity(), "retriever": self.retriever.identity()}


class Thresholds(Protocol):
    """When there is evidence on a subject, as the settings of all flows say it."""

    @property
    def min_similarity(self) -> float:
        """See :class:`Background`, as for the others."""

    @property
    def sure_similarity(self) -> float: ...

    @property
    def min_coverage(self) -> float: ...


class Background(EvidenceStage):
    """Passages about the subject itself, or a refusal where the retriever holds none.

    The subject is refused unless the five nearest passages are, on average, similar to it:
    ``sure_similarity`` is enough by itself; from ``min_similarity`` on, the subject's own words
    must also be there: each counts the share of the nearest passages that hold it, and the mean
    over the words must reach ``min_coverage``, or half of it from midway on. Words that any
    proposition may hold (function words, "ban", "government", "free") are not counted. A cosine
    alone cannot tell zoos from animal testing; the absent word "zoos" can. Words are not asked of
    texts or subjects in other languages than English.

    Args:
        retriever: Where to look.
        k: How many passages to fetch.
        min_similarity: The mean cosine below which there is nothing on the subject.
        sure_similarity: The mean cosine from which its words need not be found.
        min_coverage: How far its words must be found in between, in [0, 1].
    """

    version = 2

    def __init__(
        self,
        retriever: Retriever,
        *,
        k: int,
        min_similarity: float,
        sure_similarity: float = 0.625,
        min_coverage: float = 0.5,
    ) -> None:
        super().__init__(
            retriever,
            k=k,
            min_similarity=min_similarity,
            sure_similarity=sure_similarity,
            min_coverage=min_coverage,
        )

    @classmethod
    def within(cls, recall: Thresholds, retriever: Retriever, *, k: int) -> Self:
        """With the thresholds that ``recall`` sets."""
        return cls(
            retriever,
            k=k,
            min_similarity=recall.min_similarity,
            sure_similarity=recall.sure_similarity,
            min_coverage=recall.min_coverage,
        )

    def forward(self, *, subject: str) -> list[Passage]:
        """The passages, best first, without clearly irrelevant ones.

        Raises:
            EvidenceError: The retriever searches, and nothing in it is on the subject.
        """
        passages = self.retriever.search([subject], self.settings["k"])[0]
        if isinstance(self.retriever, NoEvidence):
            return passages
        nearest = sorted(passages, key=lambda p: -(p.similarity or 0.0))
        closeness = fmean([p.similarity or 0.0 for p in nearest[:_CLOSEST]] or [0.0])
        if not passages or closeness < self.settings["min_similarity"]:
            raise _refusal(
                subject,
                f"passages with a mean similarity of {self.settings['min_similarity']:g} or more",
                f"{closeness:.2f}{_absent(subject, nearest)}" if passages else "no passage",
            )
        coverage, needed = _coverage(subject, nearest), self._needed(closeness)
        if coverage < needed:
            raise _refusal(
                subject,
                f"its words in the nearest passages (coverage {needed:g}) "
                f"or a mean similarity of {self.settings['sure_similarity']:g}",
                f"coverage {coverage:.2f}, similarity {closeness:.2f}{_absent(subject, nearest)}",
            )
        return relevant(passages)

    def _needed(self, closeness: float) -> float:
        low, sure = self.settings["min_similarity"], self.settings["sure_similarity"]
        if closeness >= sure:
            return 0.0
        coverage = float(self.settings["min_coverage"])
        return coverage / 2 if closeness >= (low + sure) / 2 else coverage


class PersonaEvidence(EvidenceStage):
    """Passages for each persona's own claim, in one batch.

    Where the retriever heeds perspectives, the claim is one, the subject its root, and the side
    the persona's own.

    Args:
        retriever: Where to look.
        k: Passages per persona.
    """

    version = 4

    def __init__(self, retriever: Retriever, *, k: int) -> None:
        super().__init__(retriever, k=k)

    def forward(self, *, pool: Pool, subject: str) -> dict[str, list[Passage]]:
        """Persona id -> passages, best first."""
        aims = [aimed(subject, p.claim, SIGNS[p.stance]) for p in pool.personas]
        found = search_aims(self.retriever, aims, self.settings["k"])
        return {p.id: relevant(each) for p, each in zip(pool.personas, found, strict=True)}


class PlanEvidence(EvidenceStage):
    """Passages for each part of a plan: the acknowledgment first where there is one.

    Where the retriever heeds perspectives, the part is one, and the subject its root: a point
    argues for the plan's goal, the acknowledgment against it.

    Args:
        retriever: Where to look.
        k: Passages per part.
    """

    version = 3

    def __init__(self, retriever: Retriever, *, k: int) -> None:
        super().__init__(retriever, k=k)

    def forward(self, *, plan: Plan, subject: str, goal: EssayStance) -> list[PartEvidence]:
        """One entry per part, in the plan's order."""
        asked = queries_of(plan)
        own = _GOALS[goal]
        aims = [
            aimed(subject, query, -own if part == plan.acknowledgment else own)
            for part, query in asked
        ]
        found = search_aims(self.retriever, aims, self.settings["k"])
        return [
            PartEvidence(part=part, passages=relevant(passages))
            for (part, _), passages in zip(asked, found, strict=True)
        ]


def queries_of(plan: Plan) -> list[tuple[str, str]]:
    """Each part of a plan with what is searched for it, the acknowledgment first."""
    granted = [] if plan.acknowledgment is None else [(plan.acknowledgment, plan.acknowledgment)]
    return granted + [(p.point, " ".join([p.point, *p.subpoints])) for p in plan.points]


def numbered(passages: Sequence[Passage]) -> list[Evidence]:
    """Passages as an LM sees them, numbered from 1 in the given order."""
    return [
        Evidence(number=number, title=p.title, text=p.text)
        for number, p in enumerate(passages, start=1)
    ]


def relevant(passages: Sequence[Passage]) -> list[Passage]:
    """Without those that are far from the query; a passage without a cosine stays."""
    return [p for p in passages if p.similarity is None or p.similarity >= _IRRELEVANT]


def _coverage(subject: str, nearest: Sequence[Passage]) -> float:
    """How far the nearest passages hold the subject's own words, 1 where that says nothing."""
    found = _found(subject, nearest)
    return fmean(found.values()) if found else 1.0


def _absent(subject: str, nearest: Sequence[Passage]) -> str:
    """A clause naming the subject's own words that no passage holds."""
    missing = [word for word, share in _found(subject, nearest, len(nearest)).items() if not share]
    return f", nothing found on {', '.join(map(repr, missing[:5]))}" if missing else ""


def _found(subject: str, nearest: Sequence[Passage], depth: int = _NEAR) -> dict[str, float]:
    """Each of the subject's own words -> the share of the ``depth`` nearest that hold it.

    Empty where words are no guide: the subject or the passages are not English.
    """
    texts = [f"{p.title}\n{p.text}" for p in nearest[:depth]]
    if not _english([subject]) or not _english(texts):
        return {}
    held = [set(_stems(text)) for text in texts]
    asked = _stems(subject)
    own = {stem: word for stem, word in asked.items() if stem not in _general()} or asked
    shares = {word: fmean(stem in each for each in held) for stem, word in own.items()}
    for name in _names(subject):
        parts = [word for word in tokens(name) if word in shares]
        if len(parts) > 1:  # "Ada Lovelace" is one word, and texts call her by either part
            shares[name] = max(shares.pop(word) for word in parts)
    return shares


def _names(subject: str) -> list[str]:
    """Runs of capitalised words; none in a title that capitalises nearly everything."""
    capitals = sum(word[0].isupper() for word in subject.split())
    return _NAME.findall(subject) if 2 * capitals <= len(subject.split()) else []


def _english(texts: Iterable[str]) -> bool:
    found = [token for text in texts for token in tokens(text)]
    plain = sum(token in STOPWORDS or _stem(token) in _general() for token in found)
    return plain > _ENGLISH * len(found)


@cache
def _general() -> frozenset[str]:
    return frozenset(map(_stem, _GENERAL.split()))


def _stems(text: str) -> dict[str, str]:
    """Stem -> word, for every content word; a compound counts as its head, the last part."""
    found: dict[str, str] = {}
    for token in tokens(text):
        word = token.rsplit("-", 1)[-1]
        if len(word) > 1 and word not in STOPWORDS:
            found.setdefault(_stem(word), word)
    return found


def _stem(word: str) -> str:
    """The word without its commonest endings: light, so that unlike words stay apart."""
    word = word.split("'")[0]
    for ending, rest in _ENDINGS:
        if word.endswith(ending) and len(word) - len(ending) >= rest:
            word = word[: -len(ending)]
            break
    return word[:-1] if len(word) > 3 and word[-1] == word[-2] else word


_ENDINGS = (
    *((e, 4) for e in ("isation", "ization", "ation", "ising", "izing", "ised", "ized", "ize")),
    *((e, 4) for e in ("ise", "ments", "ment", "ies", "ied", "ers")),
    *((e, 3) for e in ("ings", "ing", "ed", "es")),
    *((e, 4) for e in ("er", "ly", "y")),
    *((e, 3) for e in ("s", "e")),
)


def _refusal(subject: str, expected: str, got: str) -> EvidenceError:
    return EvidenceError(
        f"the corpus holds no evidence on {_short(subject)!r}",
        expected=expected,
        got=got,
        remedy="ingest documents about it (moot ingest PATH), or set evidence=none "
        "(for an answer, method.retrieval=none) with a real backend",
    )


def _short(text: str, limit: int = 80) -> str:
    return text if len(text) <= limit else text[: limit - 1] + "…"


__all__ = [
    "Background",
    "EvidenceStage",
    "NoEvidence",
    "PersonaEvidence",
    "PlanEvidence",
    "Retriever",
    "numbered",
    "queries_of",
    "relevant",
]
