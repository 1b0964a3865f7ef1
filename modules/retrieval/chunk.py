"""Documents to chunks: by section, then by size, at sentence boundaries, with some overlap."""

from __future__ import annotations

import hashlib
import re
from collections.abc import Callable, Sequence
from itertools import pairwise
from typing import NamedTuple

from modules.retrieval.types import Chunk, Document
from modules.text import normalise, sentences

TokenCount = Callable[[Sequence[str]], list[int]]
"""The embedder's own count, special tokens included: ``(n,)`` texts -> ``(n,)`` counts."""

CHUNK_VERSION = 1
"""Raised when the same document would give other chunks."""

_PIECE = re.compile(r"\S{1,64}\s*")
_TIGHTER = 0.8


class Limits(NamedTuple):
    """Sizes in the embedder's tokens: a chunk grows to ``target``, repeats up to ``overlap``
    of the one before, and a section shorter than ``minimum`` is joined with the next.
    """

    target: int = 180
    overlap: int = 30
    minimum: int = 40


LIMITS = Limits()


class _Unit(NamedTuple):
    text: str
    block: int
    section: str
    tokens: int


def chunk(
    document: Document,
    count: TokenCount,
    window: int,
    limits: Limits = LIMITS,
    *,
    adds_up: bool = False,
) -> list[Chunk]:
    """The document's chunks in order, none longer than ``window`` tokens, none twice.

    Args:
        document: What is cut.
        count: The embedder's.
        window: The embedder's.
        limits: How large chunks are.
        adds_up: Whether a joined text counts as many tokens as its parts, as with word pieces;
            then chunks need not be counted again.
    """
    special = count([""])[0]
    target = min(limits.target, window - special)
    units = _units(document, count, target, special)
    texts = _texts(units, limits._replace(target=target))
    while not adds_up and target > 1 and max(count([text for text, _ in texts])) > window:
        target = int(target * _TIGHTER)
        units = _units(document, count, target, special)
        texts = _texts(units, limits._replace(target=target))
    return _chunks(document, texts)


def chunk_id(text: str) -> str:
    """20 hex digits of the sha256 of the normalised text."""
    return hashlib.sha256(normalise(text).encode()).hexdigest()[:20]


def pieces(text: str, limit: int, count: TokenCount) -> list[str]:
    """``text`` in consecutive parts of at most ``limit`` tokens, special tokens not counted.

    Cut between words, inside one only where it is longer than 64 characters.
    """
    parts = _PIECE.findall(text)
    special = count([""])[0]
    done, current, size = [], "", 0
    for part, tokens in zip(parts, (n - special for n in count(parts)), strict=True):
        if current and size + tokens > limit:
            done.append(current.strip())
            current, size = "", 0
        current, size = current + part, size + tokens
    return [*done, current.strip()] if current else done


def _units(document: Document, count: TokenCount, target: int, special: int) -> list[_Unit]:
    """Sentences, or parts of those that are longer than a chunk."""
    language = document.origin.lang or "en"
    found = [
        (sentence, index, block.section)
        for index, block in enumerate(document.blocks)
        for sentence in sentences(block.text, language)
    ]
    sizes = [n - special for n in count([text for text, _, _ in found])]
    units: list[_Unit] = []
    for (text, index, section), size in zip(found, sizes, strict=True):
        if size <= target and not re.search(r"\S{65}", text):
            units.append(_Unit(text, index, section, size))
        else:
            parts = pieces(text, target, count)
            counted = zip(parts, count(parts), strict=True)
            units += [_Unit(part, index, section, n - special) for part, n in counted]
    return units


def _texts(units: list[_Unit], limits: Limits) -> list[tuple[str, str]]:
    """``(text, section)`` of each chunk."""
    done: list[tuple[str, str]] = []
    current: list[_Unit] = []
    fresh = 0  # units of ``current`` that no earlier chunk holds
    for unit in units:
        size = sum(held.tokens for held in current)
        turns = bool(current) and unit.section != current[-1].section and size >= limits.minimum
        if fresh and (turns or size + unit.tokens > limits.target):
            done.append(_joined(current))
            current, fresh = ([] if turns else _tail(current, unit, limits)), 0
        current.append(unit)
        fresh += 1
    return [*done, _joined(current)] if fresh else done


def _tail(units: list[_Unit], following: _Unit, limits: Limits) -> list[_Unit]:
    """The last sentences of a chunk that the next one repeats."""
    room = min(limits.overlap, limits.target - following.tokens)
    kept: list[_Unit] = []
    for unit in reversed(units):
        room -= unit.tokens
        if room < 0 or unit.section != following.section:
            break
        kept.insert(0, unit)
    return kept


def _joined(units: list[_Unit]) -> tuple[str, str]:
    """Blocks stay apart by a blank line, so that a list's items are not read as one sentence."""
    text = units[0].text
    for before, unit in pairwise(units):
        text += (" " if unit.block == before.block else "\n\n") + unit.text
    return text, units[0].section


def _chunks(document: Document, texts: list[tuple[str, str]]) -> list[Chunk]:
    unique = {chunk_id(text): (text, section) for text, section in reversed(texts)}
    return [
        Chunk(key, text, document.origin, section, position, document.hash)
        for position, (key, (text, section)) in enumerate(reversed(unique.items()))
    ]
