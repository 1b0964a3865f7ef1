"""Bytes to text: strict, with a check that what comes out reads like text."""

from __future__ import annotations

import codecs
import re

from signatures.errors import InputError

_MARKS = (
    (codecs.BOM_UTF8, "utf-8-sig"),
    (codecs.BOM_UTF32_LE, "utf-32"),  # before UTF-16: its mark begins with UTF-16's
    (codecs.BOM_UTF32_BE, "utf-32"),
    (codecs.BOM_UTF16_LE, "utf-16"),
    (codecs.BOM_UTF16_BE, "utf-16"),
)
_CONTROL = re.compile("[\x00-\x08\x0e-\x1a\x1c-\x1f\x7f-\x84\x86-\x9f]")
_MAX_CONTROL = 0.01
_MAX_FOREIGN = 0.25
"""In cp1252, Western text has few letters beyond ASCII; text of another encoding has mostly
those."""


def decode(raw: bytes, declared: str | None = None) -> str:
    """Text from UTF-8, from an encoding with a byte order mark, from ``declared``, or cp1252.

    Raises:
        InputError: The bytes are binary, or no encoding gives readable text.
    """
    for mark, encoding in _MARKS:
        if raw.startswith(mark):
            return _readable(_strict(raw, encoding))
    if b"\x00" in raw:
        raise InputError("is binary, not text")
    for codec in ("utf-8", declared):
        found = _strict(raw, codec) if codec else None
        if found is not None:
            return _readable(found)
    western = _strict(raw, "cp1252")
    return _readable(western if western is not None and _western(western) else None)


def _strict(raw: bytes, encoding: str) -> str | None:
    try:
        return raw.decode(encoding)
    except (UnicodeDecodeError, LookupError):
        return None


def _western(text: str) -> bool:
    letters = [char for char in text if char.isalpha()]
    foreign = sum(ord(char) > 127 for char in letters)
    return foreign <= _MAX_FOREIGN * max(len(letters), 1)


def _readable(text: str | None) -> str:
    if text is None:
        raise InputError("has an unknown encoding", expected="UTF-8")
    if len(_CONTROL.findall(text)) > _MAX_CONTROL * len(text):
        raise InputError("is binary, not text")
    return text
