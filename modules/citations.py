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
from modules.markup import one_line
from modules.stage import Stage
from modules.text import sentences, tokens, words
from signatures.errors import ReplyError
from signatures.types import Citation, CitationFigures, Draft, Essay, Passage, Verdict

if TYPE_CHECKING:
    import numpy as np

MARKER = re.compile(r"\[(\d+(?:\s*[,;–-]\s*\d+)*)\]")
"""``[3]``, ``[1, 4]`` or ``[2-5]``."""

VARIANT = re.compile(
    r"\\?[\[【［〔〖]\s*(\^?\d+(?:\s*[,;，、–—-]\s*\^?\d+)*)\s*"
    r"(?:†[^\[\]【】［］〔〕〖〗\n]*)?\\?[\]】］〕〗]"
)
"""A marker in any dress: 【7】, ［7］, 〔7〕, [^7], [ 7 ], 【7†source】, or with backslashes."""

LINKED = re.compile(MARKER.pattern + r"\(([^()\n]*(?:\([^()\n]*\)[^()\n]*)*)\)")
"""A marker with something in parentheses right behind it, which Markdown reads as a link."""

TARGET = re.compile(r"""(?:<.*>|\S*)(?:\s+["'(].*)?|.*://.*""")
"""What Markdown takes for a link's target, and anything else with an address in it."""

LIST_HEADING = re.compile(
    r"^[ \t]*(?:(?P<level>#{1,6})[ \t]*)?[*_]{0,3}(?P<name>(?:list of )?"
    r"(?:references?(?: list| cited)?|sources?(?: cited)?|bibliography|works cited"
    r"|literature(?: cited)?|footnotes|endnotes))"
    r"[ \t]*(?::?[*_]{0,3}:?[ \t]*#*[ \t]*$|:[*_]{0,3}[ \t]*(?P<entry>\[\d))",
    re.IGNORECASE | re.MULTILINE,
)
"""The heading of a reference list, alone on its line or with the first marker behind it."""

LIST_ENTRY = re.compile(r"[ \t]*(?:[-*+][ \t]+)?" + MARKER.pattern + r"[ \t]*:.*|\s*")
"""A line ``[3]: ...`` as footnotes are defined, or a blank one."""

HUGE = 10**9
"""What a number of more than nine digits is read as: outside every set."""

_PLAIN = str.maketrans({"^": None, "，": ",", "、": ",", "—": "-"})

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

    version = 2

    def __init__(self, embedder: Embedder, *, supported: float, weak: float) -> None:
        super().__init__(supported=supported, weak=weak, embedder=embedder.name)
        self.embedder = embedder

    def forward(self, *, subject: str, draft: Draft) -> Essay:
        """The essay with a closed set of markers, its citations, and figures over them.

        Raises:
            ReplyError: Nothing is left of the draft once its dangling markers are dropped.
        """
        text, order = render(draft.text, len(draft.passages))
        if not text:
            raise ReplyError(
                "the essay cannot be used",
                expected="sentences",
                got="nothing but blanks and markers of passages that were not given",
                remedy="try another seed or model",
            )
        cited = [draft.passages[n - 1] for n in order]
        citations = self._citations(text, cited)
        claims = [s for p in paragraphs(text) for s in sentences(p) if tokens(_bare(s))]
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
        wordless = Support("unsupported", "")
        return [
            found if tokens(sentence) else wordless
            for (sentence, _), found in zip(pairs, self._compared(pairs), strict=True)
        ]

    def _compared(self, pairs: Sequence[tuple[str, str]]) -> list[Support]:
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
    for match in MARKER.finditer(_uniform(text)):
        for number in _numbers(match.group(1)):
            found.setdefault(number)
    return list(found)


def render(text: str, n_passages: int) -> tuple[str, list[int]]:
    """Drop markers outside 1..n_passages and renumber the rest by first appearance.

    Other brackets are made plain, links behind markers lose their target, and a reference list
    of the writer's own is cut: the citations have theirs.

    Returns:
        The text, and for each new number (from 1) the passage number it stood for.
    """

    def known(match: re.Match[str]) -> str:
        kept = [n for n in _numbers(match.group(1)) if 1 <= n <= n_passages]
        return match.group() if kept else ""

    # What is dropped may leave a marker behind: "[[99]1]". Each round shortens the text.
    before = None
    while text != before:
        before, text = text, re.sub(r"[ \t]{2,}", " ", text)
        text = MARKER.sub(known, _without_list(_unlinked(_uniform(text))))
    order = [n for n in markers(text) if 1 <= n <= n_passages]
    new = {old: i for i, old in enumerate(order, start=1)}

    def replaced(match: re.Match[str]) -> str:
        kept = sorted({new[n] for n in _numbers(match.group(1)) if n in new})
        return "".join(f"[{n}]" for n in kept)

    text = MARKER.sub(replaced, text)
    # A dropped marker leaves its space behind, before a full stop or another space.
    return re.sub(r"[ \t]+([.,;:!?])", r"\1", re.sub(r"[ \t]{2,}", " ", text)).strip(), order


def paragraphs(text: str) -> list[str]:
    """Blocks between blank lines."""
    return [p.strip() for p in re.split(r"\n\s*\n", text) if p.strip()]


def references(citations: Sequence[Citation]) -> list[str]:
    """One line per marker: ``[n] title (source)``."""
    rows = {c.marker: f"[{c.marker}] {one_line(c.title)} ({one_line(c.source)})" for c in citations}
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


def _uniform(text: str) -> str:
    """The text with every variant of a marker in plain brackets."""

    def plain(match: re.Match[str]) -> str:
        return f"[{match.group(1).translate(_PLAIN)}]"

    return VARIANT.sub(plain, text)


def _unlinked(text: str) -> str:
    """The text with no link on a marker; a remark in parentheses keeps its words."""

    def alone(match: re.Match[str]) -> str:
        marker = f"[{match.group(1)}]"
        return (
            marker if TARGET.fullmatch(match.group(2).strip()) else f"{marker} ({match.group(2)})"
        )

    return re.sub(MARKER.pattern + r"(?=\()", r"\g<0> ", LINKED.sub(alone, text))


def _without_list(text: str) -> str:
    """The text without the reference list that ends it, or that is a section of it."""
    for heading in LIST_HEADING.finditer(text):
        before, after = text[: heading.start()].rstrip(), text[heading.end() :]
        if _opens_list(heading, before, after):
            # Only another section's heading ends the list.
            level = len(heading["level"] or "######")
            section = re.search(rf"^#{{1,{level}}}[ \t]+\S", after, re.MULTILINE)
            before = re.sub(r"\n[-*_]{3,}$", "", before).rstrip()
            return f"{before}\n\n{after[section.start() :]}" if section else before
    lines = text.split("\n")
    end = len(lines)
    while end and LIST_ENTRY.fullmatch(lines[end - 1]):
        end -= 1
    return "\n".join(lines[:end]) if end else text


def _opens_list(heading: re.Match[str], before: str, after: str) -> bool:
    """Whether it is a heading at all: not a wrapped line's last word, nor a remark on sources."""
    if not before or not (heading["level"] or heading["name"][0].isupper()):
        return False
    return not heading["entry"] or not re.search(r"\n[ \t]*\n", after)


def _numbers(group: str) -> list[int]:
    numbers: list[int] = []
    for part in re.split(r"\s*[,;]\s*", group):
        ends = [int(n) if len(n) <= 9 else HUGE for n in re.split(r"\s*[–-]\s*", part)]
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
