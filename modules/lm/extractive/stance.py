"""Which side of a proposition a text argues, read from hand-written cues: no labels, no weights.

Three questions are asked of a sentence: what does it praise or blame (*cues*), what is that said
of (*anchors*), and does the proposition want more or less of that (*polarity*)? Beside these it
may demand something outright (*demands*: "should be banned") or report what a side says.

>>> reader = StanceReader("We should make all museums free of charge")
>>> reader.score("Entrance fees keep poor families away from museums.") > 0
True
"""

from __future__ import annotations

import math
import re
from collections.abc import Collection, Iterator, Sequence
from dataclasses import dataclass
from functools import lru_cache

from modules.lm.extractive import lexicon as lex

__all__ = ["StanceReader", "negate"]

_REACH = 4  # words an operator, a remover or an action looks ahead for its object
_VERB_REACH = 6  # words after a modal in which its verb stands
_NEAR = 8.0  # words over which the tie between a cue and its anchor halves
_FLOOR = 0.3  # the weakest such tie inside one sentence
_LOOSE = 0.12  # a cue in a lone sentence that names nothing of the proposition
_CARRIED = 0.5  # the same in a longer text, which has named it before
_AFTER = 0.7  # a cue before its anchor is less surely about it
_GRANTED = 0.3  # what a sentence concedes
_DEMAND = 2.0  # an outright demand against one praising word
_REPORT = 0.6  # "critics say": a side is named, whatever is said
_HEARSAY = 0.5  # what it says is then only quoted
_QUESTION = 0.5  # a question may be rhetorical
_SCALE = 2.0  # cues at which a sentence is three quarters sure
_FIRST, _LAST = 1.5, 1.3  # arguments open with their claim and close with it

_SENTENCE_GAP = re.compile(r"(?<=[.!?])[\"'\u201d\u2019)]*\s+(?=[\"'\u201c\u2018(]?[A-Z0-9])|\n+")
_BREAKS = frozenset(",;:().?!")
_CLAUSE_STARTS = _BREAKS | {"and", "because", "but", "or", "so", "which", "who"}


class _CueScan:
    """Reads praise and blame from left to right, holding an operator until its object comes."""

    def __init__(self, words: Sequence[str], spent: Collection[int] = ()) -> None:
        self._words = words
        self._spent = spent  # positions of operators that have acted on an anchor
        self.found: list[tuple[int, float]] = []  # (position, value)
        self._last = (-_REACH, 1.0, 0.0)  # position, factor, bare value of the last cue
        self._release()
        for i, word in enumerate(words):
            self._step(i, word)
        self._close()

    def _release(self) -> None:
        self._factor, self._default, self._since = 1.0, 0.0, -1

    def _close(self) -> None:
        """An operator that met no object keeps its own value, if it has one."""
        if self._since >= 0 and self._default:
            self.found.append((self._since, self._default))
        self._release()

    def _step(self, i: int, word: str) -> None:
        role = lex.role(word)
        if self._since >= 0 and (i - self._since > _REACH or self._ends(word)):
            self._close()
        if word in lex.DISMISSALS:
            self._dismiss(i)
            return
        if role.operator and not self._denounces(i) and i not in self._spent:
            self._default = self._factor * (role.value or -self._default)
            self._factor *= role.operator
            self._since = i
        elif word in ("against", "from") and self._since >= 0:
            self._factor, self._since = -1.0, i  # "protects from", "prevents ... from"
        elif role.value and not role.operator:
            self._meet(i, role.value)

    def _ends(self, word: str) -> bool:
        """A verb ends the reach of "ending life is ...", not that of "nobody is ..."."""
        negates = self._words[self._since] in lex.NEGATORS
        return word in _CLAUSE_STARTS or (word in lex.COPULAS and not negates)

    def _dismiss(self, i: int) -> None:
        """Take back the blame before: "the risk is small"."""
        if self.found and i - self.found[-1][0] <= _REACH and self.found[-1][1] < 0:
            position, value = self.found.pop()
            self.found.append((position, -value))

    def _meet(self, i: int, value: float) -> None:
        position, factor, bare = self._last
        coordinated = i - position < _REACH and {"and", "or", "of"} & set(self._words[position:i])
        if self._since < 0 and coordinated and bare * value > 0:
            self._factor = factor  # "reduces cost and waste": one operator for both
        self.found.append((i, value * self._factor))
        self._last = (i, self._factor, value)
        self._release()

    def _denounces(self, i: int) -> bool:
        """The negation belongs to a duty: "nobody should be forced" still blames forcing."""
        near = self._words[max(0, i - 1) : i + 3]
        if lex.role(self._words[i]).value or not lex.DUTIES & set(near):
            return False
        return any(lex.role(word).value < 0 for word in self._words[i + 1 : i + 2 + _REACH])


@dataclass(frozen=True)
class _Frame:
    """A proposition as the reader needs it; a side is +1 for the proposition, -1 against it."""

    polarity: float  # the side that praise of its target takes
    sides: dict[str, float]  # stem of a topic -> the side that praise of it takes
    kindred: frozenset[str]  # words for the same choice
    contrary: frozenset[str]  # words for the other choice
    legal: bool  # it is about what the law allows
    topics: frozenset[str]  # stems that are what it is about, neither praise nor blame

    def side(self, word: str) -> float:
        named = self.sides.get(lex.stem(word))
        if named is not None:
            return named
        kin = lex.fit(word, self.kindred) > 0
        return self.polarity * (kin - (lex.fit(word, self.contrary) > 0))

    def legal_side(self, word: str) -> float:
        """A law is about the target even where it does not name it."""
        role = lex.role(word)
        return role.action * self.polarity * (role.certain and self.legal)

    def chooses(self, word: str) -> bool:
        return lex.fit(word, self.kindred | self.contrary) > 0

    def owns(self, word: str) -> bool:
        """A word of the proposition names what is debated, so it neither praises nor blames."""
        named = lex.stem(word) in self.topics
        return named or (lex.role(word).value > 0 and lex.fit(word, self.kindred) > 0)

    def first_side(self, words: Sequence[str]) -> float:
        return next((side for side in map(self.side, words) if side), 0.0)


@lru_cache(maxsize=1 << 10)
def _frame(proposition: str) -> _Frame:
    words = [word for word in lex.tokens(proposition) if word not in _BREAKS]
    polarity = _polarity(words)
    head = _subject(words)
    content = [w for w in words if w not in lex.STOPWORDS and not lex.role(w).operator]
    names = [w for w in content if not lex.role(w).action and (w in head or not lex.role(w).value)]
    sides = {lex.stem(word): polarity for word in names}
    sides.update((lex.stem(word), -polarity) for word in _rivals(words))
    kindred, contrary = lex.choices(words)
    burden = _burden(words)
    if burden:
        sides[lex.stem(burden)] = -polarity
    legal = any(lex.role(word).certain for word in words)
    return _Frame(polarity, sides, kindred, contrary, legal, frozenset(map(lex.stem, names)))


def _burden(words: list[str]) -> str:
    """The "tax" of "a tax on meat", the "control" of "gun control"."""
    for i, word in enumerate(words):
        on = words[i + 1 : i + 2] in (["of"], ["on"])
        if word in lex.BURDENS and (on or (i > 0 and word.startswith("control"))):
            return word
    return ""


def _subject(words: list[str]) -> list[str]:
    """All of a call for action, but of a judgement only what is judged."""
    if lex.DUTIES & set(words):
        return words
    verb = next((i for i, w in enumerate(words) if w in lex.COPULAS), len(words))
    return words[:verb]


def _polarity(words: list[str]) -> float:
    """Does the proposition want more of its target, or less?"""
    opening = -1.0 if _burden(words) else 1.0
    duty = next((i for i, word in enumerate(words) if word in lex.DUTIES), None)
    if duty is None:
        return opening * _judgement(words)
    near = words[:2] + words[duty : duty + 3]
    return opening * _action(words[duty + 1 :]) * (-1.0 if lex.REFUSALS & set(near) else 1.0)


def _judgement(words: list[str]) -> float:
    if "time_to" in words:
        return _action(words[words.index("time_to") :])
    if words and lex.role(words[0]).action:
        return float(lex.role(words[0]).action)
    predicate = words[len(_subject(words)) :] or words
    cues = _CueScan(predicate).found
    return math.copysign(1.0, cues[0][1]) if cues else -1.0 if lex.REFUSALS & set(words) else 1.0


def _action(words: list[str]) -> float:
    """Does the verb of a demand want more or less of its object?"""
    actions = (lex.role(word).action for word in words[:_VERB_REACH])
    return float(next((action for action in actions if action), 1))


def _rivals(words: list[str]) -> list[str]:
    """What the proposition sets its target against: "better than Y", "replace Y"."""
    start = next((i for i, word in enumerate(words) if word in lex.VERSUS), len(words))
    return [w for w in words[start + 1 :] if w not in lex.STOPWORDS]


def _anchors(words: Sequence[str], frame: _Frame) -> list[tuple[int, float]]:
    """(position, side) of all that a sentence's praise and blame may be said of."""
    found: list[tuple[int, float]] = []
    covered = -1  # what an action has removed is no anchor of its own
    for i, word in enumerate(words):
        removed = _removed(words, i, frame)
        side = -removed or frame.side(word) or frame.legal_side(word)
        if word in lex.BURDENS and found and found[-1][0] == i - 1:
            side = -found[-1][1]  # "an age limit": less of what the word before names
        if side and i > covered:
            found.append((i, side))
            covered = i + _REACH if removed else covered
    chosen = [(i, side) for i, side in found if frame.chooses(words[i]) or _removes(words[i])]
    return chosen if any(frame.chooses(words[i]) for i, _ in found) else found


def _removes(word: str) -> bool:
    return lex.role(word).action < 0 or word in lex.REMOVERS


def _removed(words: Sequence[str], i: int, frame: _Frame) -> float:
    """The side of what is banned, ended or missing: "abolishing fees", "without fees"."""
    return frame.first_side(words[i + 1 : i + 1 + _REACH]) if _removes(words[i]) else 0.0


def _demands(words: Sequence[str], frame: _Frame) -> Iterator[tuple[int, float]]:
    """(position, side) of what a sentence says should or should not be done."""
    for i, word in enumerate(words):
        if word in lex.ANSWERS:
            yield i, -_DEMAND
        if word not in lex.DUTIES:
            continue
        nearby = {*words[max(0, i - 3) : i + 3]}
        sign = -1.0 if word.endswith("n't") or lex.REFUSALS & nearby else 1.0
        yield i, sign * _DEMAND * _demanded(words, i, frame)


def _demanded(words: Sequence[str], duty: int, frame: _Frame) -> float:
    for j in range(duty + 1, min(len(words), duty + _VERB_REACH)):
        role = lex.role(words[j])
        if words[j] in _BREAKS:
            break
        if role.action:
            named = frame.first_side(words[j + 1 : j + 1 + _REACH])
            named = named or frame.first_side(words[:duty][::-1])
            return role.action * named or frame.legal_side(words[j])
        if lex.fit(words[j], frame.kindred | frame.contrary):
            return frame.side(words[j])
    return 0.0


def _weights(words: Sequence[str]) -> list[float]:
    """1 where the sentence argues, less where it concedes."""
    weights = [1.0] * len(words)
    for i, word in enumerate(words):
        if word in lex.CONTRASTERS and i > 2:
            weights[:i] = [_GRANTED * weight for weight in weights[:i]]
        elif word in lex.CONCEDERS:
            end = words.index(",", i) if i < 2 and "," in words[i:] else len(words)
            weights[i:end] = [_GRANTED * weight for weight in weights[i:end]]
    return weights


def _side_of(position: int, anchors: list[tuple[int, float]]) -> float:
    """The side that praise at this position takes, weaker the less surely it is tied to it."""
    before = [(position - at, side) for at, side in anchors if at <= position]
    after = [(at - position, side) for at, side in anchors if at > position]
    distance, side = min(before or after)
    tie = (1.0 if before else _AFTER) / (1.0 + distance / _NEAR)
    return side * max(tie, _FLOOR)


def _report(words: Sequence[str]) -> float:
    """A side that is named as speaking, unless the sentence goes on to answer it."""
    named = set(words)
    if not named & lex.REPORTS:
        return 0.0
    side = bool(named & lex.PROPONENTS) - bool(named & lex.OPPONENTS)
    return _REPORT * side * (-1.0 if named & lex.CONTRASTERS else 1.0)


def _read(sentence: str, frame: _Frame, loose: float) -> float:
    words = lex.tokens(sentence)
    weights = _weights(words)
    anchors = _anchors(words, frame)
    total = 0.0
    spent = {i for i, _ in anchors if not lex.role(words[i]).value}
    for i, value in _CueScan(words, spent).found:
        if not frame.owns(words[i]):
            side = _side_of(i, anchors) if anchors else loose * frame.polarity
            total += weights[i] * value * side
    total += sum(weights[i] * side for i, side in _demands(words, frame))
    total *= _QUESTION if "?" in words else 1.0
    report = _report(words)
    total = report + (_HEARSAY if report else 1.0) * total
    return math.tanh(total / _SCALE)


@lru_cache(maxsize=1 << 14)  # one debate reads the same passages again and again
def _scored(proposition: str, text: str) -> float:
    frame = _frame(proposition)
    parts = [part for part in _SENTENCE_GAP.split(text) if part.strip()]
    if not parts:
        return 0.0
    loose = _CARRIED if len(parts) > 1 else _LOOSE
    values = [_read(part, frame, loose) for part in parts]
    weights = [_FIRST, *[1.0] * (len(values) - 2), _LAST][: len(values)]
    return sum(w * v for w, v in zip(weights, values, strict=True)) / sum(weights)


class StanceReader:
    """Scores texts by the side of one proposition they take."""

    def __init__(self, proposition: str) -> None:
        self._proposition = proposition

    def score(self, text: str) -> float:
        """In [-1, 1]: above 0 supports the proposition, below opposes it, near 0 unclear."""
        return _scored(self._proposition, text)

    def scores(self, texts: Sequence[str]) -> list[float]:
        """One score per text; a text's score does not depend on the others."""
        return [self.score(text) for text in texts]


_AUXILIARY = re.compile(
    r"\b(?:ca|wo)n't\b|\bcannot\b"
    r"|\b(?:should|must|ought|can|could|would|will|may|might|is|are|was|were|needs?(?= to)"
    r"|ha[sd](?= (?:not )?been)|have(?= (?:not )?been))\b(?:n't\b| not\b)?",
    re.IGNORECASE,
)
_RESPELT = {
    "can": "cannot",
    "can't": "can",
    "cannot": "can",
    "need": "do not need",
    "needs": "does not need",
    "won't": "will",
}
_GENERIC = "it is not the case that "
_ADJECTIVE_OF_NAME = re.compile(r"(?:an|ch|ese|ish)$")


def negate(proposition: str) -> str:
    """A grammatical denial for use inside a sentence; without a safe rule, a generic form.

    >>> negate("We should make all museums free of charge")
    'we should not make all museums free of charge'
    """
    claim = " ".join(proposition.replace("\u2019", "'").split()).rstrip(".!")
    verbs = list(_AUXILIARY.finditer(claim))
    if claim.endswith("?") or (verbs and verbs[0].start() == 0):
        return f'the answer to "{claim}" is no'
    first = claim.split(" ")[0].lower()
    if first in lex.IMPERATIVES:
        return "we should not " + first + claim[len(first) :]
    if not verbs or first in lex.QUANTIFIERS:
        return _GENERIC + _lowered(claim)
    subject = claim[: verbs[0].start()].strip().lower()
    return _denied_subject(subject, claim) or _denied_verb(subject, claim, verbs)


def _denied_subject(subject: str, claim: str) -> str:
    """Deny "no one ..." by "people ...", and "all ..." by "not all ..."; else empty."""
    for denying, affirming in lex.DENYING_SUBJECTS.items():
        if subject == denying or subject.startswith(denying + " "):
            return affirming + claim[len(denying) :]
    if subject.split(" ")[0] in lex.TOTAL_SUBJECTS:
        return "not " + _lowered(claim)
    return ""


def _denied_verb(subject: str, claim: str, verbs: list[re.Match[str]]) -> str:
    """With "not" put after the one verb, or taken away from it."""
    verb = verbs[0]
    word = verb[0].lower()
    rest = claim[verb.end() :]
    nested = bool(lex.SUBORDINATORS & set(subject.split())) or len(verbs) > 1
    exists = subject == "there" and word in ("is", "are", "was", "were")
    if nested or exists or rest.lower().startswith((" no ", " never ", " only ")):
        return _GENERIC + _lowered(claim)
    plain = re.sub(r"(n't| not)$", "", word)
    changed = _RESPELT.get(word) or (plain if plain != word else word + " not")
    if changed == "ought" and not rest.startswith(" to "):
        changed = "ought to"
    return _lowered(claim[: verb.start()] + changed + rest)


def _lowered(claim: str) -> str:
    """Without its capital where the first word is hardly a name."""
    first, _, rest = claim.partition(" ")
    phrase = first[1:].islower() and rest[:1].islower() and not rest.startswith("and ")
    verb = _AUXILIARY.search(rest)  # after a noun phrase, not after a name
    noun = phrase and verb and verb.start() and not _ADJECTIVE_OF_NAME.search(first)
    common = first.lower() in lex.OPENERS or first.endswith("ing") or noun
    return f"{first.lower()} {rest}" if common else claim
