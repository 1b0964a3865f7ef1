"""One candidate to one clean document, or a refusal that says why."""

from __future__ import annotations

import hashlib
import re
from collections.abc import Callable
from dataclasses import replace
from pathlib import PurePosixPath

from modules.retrieval.formats.html import read_html
from modules.retrieval.formats.office import read_docx, read_pptx
from modules.retrieval.formats.pdf import read_pdf
from modules.retrieval.formats.plain import read_csv, read_eml, read_md, read_txt
from modules.retrieval.language import declared, detected
from modules.retrieval.sniff import check
from modules.retrieval.types import Block, Candidate, Document, Origin, Parsed
from modules.text import normalise
from signatures.errors import InputError

MAX_BYTES = 50_000_000
PARTITION_VERSION = 2
"""Raised when a document's blocks change meaning, so that known files are read again."""

_MAX_BLOCK = 1_000_000  # characters
_MAX_TITLE = 300  # characters
_NUMBERS = r"\^?\d+(?:\s*[,;\u2013\u2014-]\s*\d+)*"
_MARKER = re.compile(rf"[\[\uff3b\u3010]\s*({_NUMBERS})\s*[\]\uff3d\u3011]")
_READERS: dict[str, Callable[[bytes], Parsed]] = {
    "csv": read_csv,
    "docx": read_docx,
    "eml": read_eml,
    "html": read_html,
    "jsonl": read_txt,
    "md": read_md,
    "pdf": read_pdf,
    "pptx": read_pptx,
    "txt": read_txt,
}


def load(candidate: Candidate, max_bytes: int = MAX_BYTES) -> bytes:
    """The candidate's bytes, checked against its size limit and its manifest's hash.

    Raises:
        InputError: It cannot be read, is too large, or is not what the manifest says.
    """
    if candidate.remote:
        raise InputError("is a URL, and nothing was given to fetch it with")
    if candidate.raw is not None:
        return candidate.raw
    if candidate.path is None:
        return (candidate.text or "").encode("utf-8", "replace")
    try:
        size = candidate.path.stat().st_size
        if size > max_bytes:
            raise InputError(f"has {size} bytes", expected=f"at most {max_bytes}")
        raw = candidate.path.read_bytes()
    except OSError as error:
        raise InputError("cannot be read", got=error.strerror or str(error)) from error
    if candidate.sha256 and hashlib.sha256(raw).hexdigest() != candidate.sha256.lower():
        raise InputError("differs from its hash in manifest.json")
    return raw


def partition(candidate: Candidate, raw: bytes) -> Document:
    """Blocks in reading order, cleaned: see :func:`clean`.

    Raises:
        InputError: It is not what its name says, or holds no text that can be used.
    """
    origin = candidate.origin
    if candidate.text is None:
        check(origin.kind, raw)
    found = _READERS[origin.kind](raw)
    blocks = tuple(
        Block(text, clean(block.section)[:_MAX_TITLE])
        for block in found.blocks
        if (text := clean(block.text))
    )
    if not blocks:
        raise InputError("holds no text")
    if max(len(block.text) for block in blocks) > _MAX_BLOCK:
        raise InputError(f"holds a single line of over {_MAX_BLOCK} characters", expected="prose")
    text = "\n".join(block.text for block in blocks)
    told = _origin(origin, found)
    told = replace(told, lang=declared(told.lang) or detected(text))
    return Document(told, blocks, hashlib.sha256(text.encode()).hexdigest())


def clean(text: str) -> str:
    """Normalised text in which nothing looks like a citation of ours: ``[3]`` becomes ``(3)``.

    Brackets of other scripts count too; texts are data, and must not be able to pose as ours.
    """
    return _MARKER.sub(r"(\1)", normalise(text))


def _origin(origin: Origin, found: Parsed) -> Origin:
    """What the caller or a manifest says goes before what the file says of itself."""
    title = clean(origin.title or found.title) or _stem(origin.source)
    return replace(
        origin,
        title=title[:_MAX_TITLE],
        topic=clean(origin.topic or found.topic),
        date=normalise(origin.date or found.date),
        url=normalise(origin.url or found.url),
        lang=normalise(origin.lang or found.lang),
    )


def _stem(source: str) -> str:
    return clean(re.sub(r"[_\-]+", " ", PurePosixPath(source).stem)) or source
