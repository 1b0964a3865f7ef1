"""Dealing sentences to the points of an essay: in turn, so that no point starves."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Protocol

from modules.lm.extractive.statements import Statement, best, merit, on_side, similar
from modules.lm.extractive.words import Weights

_ROUNDS = 4  # the most sentences that a point is dealt, follow-ups apart
_WORN = 0.08  # what each sentence already taken from a document counts against the next
_CONNECTOR = 4  # words that join a sentence to the one before it


class Hand(Protocol):
    """What a point holds: see :class:`modules.lm.extractive.matter.Section`."""

    lead: Statement | None
    numbers: frozenset[int]
    stems: frozenset[str]
    evidence: list[Statement]


class Dealer:
    """Hands out the statements of one side, each once, near repetitions never."""

    def __init__(
        self,
        pool: Sequence[Statement],
        sign: int,
        used: list[Statement],
        luck: dict[str, float],
    ) -> None:
        self._pool = pool
        self._sign = sign
        self._used = used
        self._luck = luck
        self._weights = Weights(s.stems for s in pool)

    def deal(self, hands: Sequence[Hand], words: int) -> None:
        """Fill the hands with about ``words`` words, what they hold already included."""
        fitting = best(self._pool, self._sign, least=words // 10)
        left = words - sum(length(hand.lead) for hand in hands if hand.lead is not None)
        for _ in range(_ROUNDS):
            for hand in hands:
                pick = self._pick(hand, fitting)
                if pick is None or length(pick) > left + 12:
                    continue
                left -= self._give(hand, pick)
                after = self._follow_up(pick)
                if after is not None and length(after) <= left:
                    left -= self._give(hand, after)

    def _give(self, hand: Hand, statement: Statement) -> int:
        hand.evidence.append(statement)
        self._used.append(statement)
        return length(statement)

    def _pick(self, hand: Hand, fitting: Sequence[Statement]) -> Statement | None:
        """The best unused statement for the hand, from a second document if it has but one."""
        titles = [s.title for s in (hand.lead, *hand.evidence) if s is not None]
        fresh = [s for s in fitting if not similar(s, self._used)]
        if len(titles) > 1 and len(set(titles)) == 1:
            fresh = [s for s in fresh if s.title not in titles] or fresh

        def worth(s: Statement) -> float:
            near = 2.0 * self._weights.cosine(s.stems, hand.stems)
            placed = 0.25 * (s.number in hand.numbers) - 0.3 * titles.count(s.title)
            placed -= _WORN * sum(used.title == s.title for used in self._used)
            return near + placed + 0.7 * merit(s, self._sign) + self._luck[s.text]

        return max(fresh, key=worth, default=None)

    def _follow_up(self, statement: Statement) -> Statement | None:
        """The passage's next sentence, where it leans on this one and keeps to its side."""
        for s in self._pool:
            if (s.number, s.place) == (statement.number, statement.place + 1):
                fits = not s.standalone and on_side(s, self._sign) and not similar(s, self._used)
                return s if fits else None
        return None


def length(statement: Statement) -> int:
    """Words of the statement with a connector."""
    return len(statement.text.split()) + _CONNECTOR


__all__ = ["Dealer", "Hand", "length"]
