"""Citations: from a writer's markers to references that hold.

The writer may mark any number; only those of the closed set survive, renumbered by first
appearance. Every cited sentence is then compared with the passage it cites.
"""

from __future__ import annotations

import math
import re
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any, NamedTuple, Protocol

from modules.lm.extractive.stance import StanceReader
from modules.stage import Stage
from modules.text import sentences, words
from signatures.types import Citation, CitationFigures, Draft, Essay, Passage, Verdict

if TYPE_CHECKING:
    import numpy as np

MARKER = re.compile(r"\[(\d+(?:\s*[,;–-]\s*\d+)*)\]")
"""``[3]``, ``[1, 4]`` or ``[2-5]``."""

NUMBER = re.compile(r"\d[\d.,]*")
NAME = re.compile(r"(?<!^)(?<![.!?]\s)\b[A-Z][\w’'-]+")
SIDE_MARGIN = 0.05
"""A passage whose stance score is nearer to 0 than this counts for neither side."""


class Embedder(Protocol):
    """Turns texts into L2-normalised float32 rows."""

    @property
    def name(self) -> str: ...

    def encode(self, texts: Sequence[str]) -> np.ndarray: ...


class Support(NamedTuple):
    """How a passage stands to a sentence that cites it."""

    verdict: Verdict
    quote: str


class CitationCheck(Stage):
    """Renders the markers of a draft and checks every citation against its passage.

    The check is built in, without a judge: a sentence is supported when one or two neighbouring
    sentences of the passage say nearly the same (cosine of embeddings, overlap of content words)
    and hold every number and name it holds.

    Args:
        embedder: Embeds sentences and spans.
        supported: The support from which a citation is ``supported``, in [0, 1].
        weak: The support from which it is ``weak``.
    """

    version = 1

    def __init__(self, embedder: Embedder, *, supported: float, weak: float) -> None:
        super().__init__(supported=supported, weak=weak, embedder=embedder.name)
        self.embedder = embedder

    def forward(self, *, subject: str, draft: Draft) -> Essay:
        """The essay with a closed set of markers, its citations, and figures over them."""
        text, order = render(draft.text, len(draft.passages))
        cited = [draft.passages[n - 1] for n in order]
        citations = self._citations(text, cited)
        claims = [s for p in paragraphs(text) for s in sentences(p)]
        held = {c.sentence for c in citations if c.verdict == "supported"}
        uncited = [s for s in map(_bare, claims) if s not in held]
        return Essay(
            text=text,
            citations=citations,
            uncited=uncited,
            figures=CitationFigures(
                precision=_share(sum(c.verdict == "supported" for c in citations), len(citations)),
                recall=_share(len(claims) - len(uncited), len(claims)),
                evidence_balance=balance(subject, cited),
            ),
        )

    def _citations(self, text: str, cited: Sequence[Passage]) -> list[Citation]:
        pairs = [
            (number, _bare(sentence))
            for paragraph in paragraphs(text)
            for sentence in sentences(paragraph)
            for number in markers(sentence)
        ]
        found = self.support([(sentence, cited[n - 1].text) for n, sentence in pairs])
        return [
            Citation(
                marker=number,
                chunk_id=cited[number - 1].id,
                source=cited[number - 1].source,
                title=cited[number - 1].title,
                sentence=sentence,
                quote=support.quote,
                verdict=support.verdict,
            )
            for (number, sentence), support in zip(pairs, found, strict=True)
        ]

    def support(self, pairs: Sequence[tuple[str, str]]) -> list[Support]:
        """For each (sentence, passage text) the verdict and the best supporting span."""
        if not pairs:
            return []
        close = [_closest(s, sentences(passage) or [passage]) for s, passage in pairs]
        texts = sorted({s for s, _ in pairs} | {s for group in close for s in group})
        rows = dict(zip(texts, self.embedder.encode(texts), strict=True))
        return [
            self._best(sentence, passage, group, rows)
            for (sentence, passage), group in zip(pairs, close, strict=True)
        ]

    def _best(
        self, sentence: str, passage: str, close: Sequence[str], rows: dict[str, Any]
    ) -> Support:
        spans = [(span, rows[span]) for span in close]
        if len(close) == 2 and (both := " ".join(close)) in " ".join(passage.split()):
            # Neighbours are one span as well; the mean of their vectors stands for it.
            total = rows[close[0]] + rows[close[1]]
            spans.append((both, total / float((total @ total) ** 0.5)))
        scored = [(_score(sentence, s, float(rows[sentence] @ row)), s) for s, row in spans]
        score, quote = max(scored, key=lambda pair: pair[0])
        if score >= self.settings["supported"]:
            return Support("supported" if _facts(sentence) <= _facts(passage) else "weak", quote)
        return Support("weak" if score >= self.settings["weak"] else "unsupported", quote)


def markers(text: str) -> list[int]:
    """The marker numbers in order of appearance, ranges and lists spelled out, each once."""
    found: dict[int, None] = {}
    for match in MARKER.finditer(text):
        for number in _numbers(match.group(1)):
            found.setdefault(number)
    return list(found)


def render(text: str, n_passages: int) -> tuple[str, list[int]]:
    """Drop markers outside 1..n_passages and renumber the rest by first appearance.

    Returns:
        The text, and for each new number (from 1) the passage number it stood for.
    """
    order = [n for n in markers(text) if 1 <= n <= n_passages]
    new = {old: i for i, old in enumerate(order, start=1)}

    def replaced(match: re.Match[str]) -> str:
        kept = sorted({new[n] for n in _numbers(match.group(1)) if n in new})
        return "".join(f"[{n}]" for n in kept)

    text = MARKER.sub(replaced, text)
    # A dropped marker leaves its space behind, before a full stop or another space.
    return re.sub(r"[ \t]+([.,;:!?])", r"\1", re.sub(r"[ \t]{2,}", " ", text)), order


def paragraphs(text: str) -> list[str]:
    """Blocks between blank lines."""
    return [p.strip() for p in re.split(r"\n\s*\n", text) if p.strip()]


def references(citations: Sequence[Citation]) -> list[str]:
    """One line per marker: ``[n] title (source)``."""
    rows = {c.marker: f"[{c.marker}] {c.title} ({c.source})" for c in citations}
    return [rows[n] for n in sorted(rows)]


def balance(subject: str, passages: Sequence[Passage]) -> float | None:
    """Normalised entropy of the cited passages over the two sides; None if neither is seen."""
    scores = StanceReader(subject).scores([p.text for p in passages])
    n_for = sum(s > SIDE_MARGIN for s in scores)
    n_against = sum(s < -SIDE_MARGIN for s in scores)
    total = n_for + n_against
    if total == 0:
        return None
    shares = [n / total for n in (n_for, n_against) if n]
    return abs(sum(p * math.log2(p) for p in shares))


def _numbers(group: str) -> list[int]:
    numbers: list[int] = []
    for part in re.split(r"\s*[,;]\s*", group):
        ends = [int(n) for n in re.split(r"\s*[–-]\s*", part)]
        # A range is closed at a sane width: "[1-9999999]" must not build a list of millions.
        numbers += range(ends[0], min(ends[-1], ends[0] + 50) + 1) if len(ends) == 2 else ends
    return numbers


def _bare(sentence: str) -> str:
    """The sentence without its markers."""
    return re.sub(r"\s+([.,;:!?])", r"\1", MARKER.sub("", sentence)).strip()


def _closest(sentence: str, candidates: Sequence[str]) -> list[str]:
    """The two candidates that share most words with the sentence, in their own order."""
    ranked = sorted(range(len(candidates)), key=lambda i: (-_overlap(sentence, candidates[i]), i))
    return [candidates[i] for i in sorted(ranked[:2])]


def _overlap(sentence: str, span: str) -> float:
    """The share of the sentence's content words found in the span."""
    wanted = set(words(sentence))
    return len(wanted & set(words(span))) / len(wanted) if wanted else 0.0


def _score(sentence: str, span: str, cosine: float) -> float:
    """Mean of the cosine and the overlap of content words."""
    return (max(cosine, 0.0) + _overlap(sentence, span)) / 2


def _facts(text: str) -> set[str]:
    """Numbers and mid-sentence capitalised names: what a paraphrase may not invent."""
    numbers = {n.strip(".,") for n in NUMBER.findall(text)}
    return numbers | {n.casefold() for s in sentences(text) for n in NAME.findall(s)}


def _share(part: int, whole: int) -> float | None:
    return part / whole if whole else None


__all__ = [
    "CitationCheck",
    "Embedder",
    "Support",
    "balance",
    "markers",
    "paragraphs",
    "references",
    "render",
]
