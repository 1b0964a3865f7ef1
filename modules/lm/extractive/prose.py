"""Joining found sentences into prose without breaking their capitals, stops or quotes."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable

from modules.lm.extractive.phrases import ADDITIONS
from modules.lm.extractive.sentences import capitalised, defang, plain
from modules.lm.extractive.soundness import tokens
from modules.lm.extractive.wordlists import COMMON_VERBS, FUNCTION_WORDS, LOWERABLE

_LONGEST_LINE = 40  # words of a proposition that an essay can quote
_FIRST_WORD = re.compile(r"^[^\W\d_][\w'\u2019-]*")
_BIG_WITHIN = re.compile(r"(?<=[a-z,] )[A-Z][\w'\u2019-]*")
_MODALS = ("should", "can", "could", "will", "would", "must", "may", "is", "are", "was", "were",
           "do", "does", "did", "has", "have", "ought")  # fmt: skip


class Casing:
    """Knows from texts which words are written small in mid-sentence."""

    def __init__(self, texts: Iterable[str]) -> None:
        self._small: Counter[str] = Counter()
        self._big: Counter[str] = Counter()
        for text in texts:
            self._small.update(word for word in tokens(text) if word.islower())
            self._big.update(_BIG_WITHIN.findall(text))

    def lowerable(self, word: str) -> bool:
        """Whether the word has no capital of its own."""
        if word == "I" or word.startswith("I'") or any(c.isupper() for c in word[1:]):
            return False
        low = word.lower().replace("\u2019", "'")
        forms = (low, low.removesuffix("'s"), low.removesuffix("s"), f"{low}s")
        return low in LOWERABLE or any(form in self._small for form in forms)

    def can_lower(self, text: str) -> bool:
        """Whether the text can stand after a connector."""
        match = _FIRST_WORD.match(text)
        return match is not None and (match[0][0].islower() or self.lowerable(match[0]))

    def lowered(self, text: str) -> str:
        """The text as it reads after a connector; unchanged where that cannot be known."""
        return text[0].lower() + text[1:] if self.can_lower(text) else text

    def sentence_case(self, text: str) -> str:
        """A Title Case Text without the capitals that only the title gave it."""
        words = text.split(" ")
        big = [w for w in words if w[:1].isalpha() and w.lower() not in FUNCTION_WORDS]
        if len(big) < 3 or sum(w[0].isupper() for w in big) < 0.7 * len(big):
            return text
        return capitalised(" ".join(self._small_word(word) for word in words))

    def _small_word(self, word: str) -> str:
        core = word.strip("\"'\u201c\u201d\u2018\u2019(),.:;")
        if not core or any(c.isupper() for c in core[1:]):
            return word
        name = self._big[core] > self._small[core.lower()]
        return word if name else word.lower()


def subject_line(proposition: str, casing: Casing) -> str:
    """The proposition as one clean line without a final stop, in sentence case."""
    text = plain(proposition).replace('"', "'").rstrip(" .;:,")
    words = text.split()
    if len(words) > _LONGEST_LINE:
        text = " ".join(words[:_LONGEST_LINE]) + " \u2026"
    return casing.sentence_case(text)


def is_clause(line: str) -> bool:
    """Whether the line can follow "that": a statement, not a question or a bare topic."""
    words = [word.lower() for word in tokens(line)]
    if not words or "?" in line or words[0] in _MODALS or len(words) > _LONGEST_LINE:
        return False
    return any(word in _MODALS or word in COMMON_VERBS for word in words[1:])


def cite(text: str, number: int) -> str:
    """The sentence with its marker before the final stop."""
    match = re.search(r"([.!])([\"'\u201d\u2019)]*)$", text)
    if match is None:
        return f"{text} [{number}]."
    return f"{text[: match.start()]}{match[2]} [{number}]."


def paragraph(sentences: Iterable[str]) -> str:
    """Sentences joined by single spaces, each starting with a capital."""
    return " ".join(capitalised(sentence.strip()) for sentence in sentences if sentence.strip())


_FRAMES = re.compile(
    r"(?:^|(?<=[.!?] ))(?:"
    + "|".join(re.escape(p.removesuffix("{s}")) for p in ADDITIONS)
    + r")(\w)"
)


def unframed(text: str) -> str:
    """A turn without the connectors that this engine put before its sentences."""
    return _FRAMES.sub(lambda match: match[1].upper(), text)


def listing(parts: list[str]) -> str:
    """The parts as a list in prose, such as "a, b and c"."""
    if len(parts) < 2:
        return "".join(parts)
    return ", ".join(parts[:-1]) + " and " + parts[-1]


def word_count(text: str) -> int:
    """Words, markers left out."""
    return len(defang(text).split())


def article(noun: str) -> str:
    """The noun with "a" or "an"."""
    sound = re.match(r"(?i)(?:[aeio]|u(?!ni|se)|hono|heir)", noun)
    return f"{'an' if sound else 'a'} {noun}"


__all__ = [
    "Casing",
    "article",
    "cite",
    "is_clause",
    "listing",
    "paragraph",
    "subject_line",
    "unframed",
    "word_count",
]
