"""What a file holds, judged by its first bytes and, for Office files, by its table of contents.

Nothing is unpacked here: a file that lies about its type or would grow without bound is refused
before any parser sees it.
"""

from __future__ import annotations

import io
import zipfile

from signatures.errors import InputError

KINDS = {
    ".md": "md",
    ".markdown": "md",
    ".html": "html",
    ".htm": "html",
    ".txt": "txt",
    ".text": "txt",
    ".csv": "csv",
    ".docx": "docx",
    ".pptx": "pptx",
    ".eml": "eml",
    ".pdf": "pdf",
}
"""The file suffixes that can be ingested, and the kind each stands for."""

_OLE = b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1"
_BINARY = (
    (b"\x89PNG\r\n", "a PNG image"),
    (b"\xff\xd8\xff", "a JPEG image"),
    (b"GIF8", "a GIF image"),
    (b"\x1f\x8b", "a gzip archive"),
    (b"\x7fELF", "a program"),
    (b"{\\rtf", "RTF"),
    (_OLE, "an encrypted or old (.doc, .ppt) Office file"),
)
_PARTS = {"word/document.xml": "docx", "ppt/presentation.xml": "pptx"}
_MAX_UNPACKED = 200_000_000  # bytes
_MAX_RATIO = 100
_SMALL_ENOUGH = 10_000_000  # bytes below which a high ratio does no harm
_MAX_MEMBERS = 10_000


def check(kind: str, raw: bytes) -> None:
    """Pass when ``raw`` can be what its suffix says.

    Raises:
        InputError: It is empty, something else, damaged, or a zip bomb.
    """
    if not raw.strip():
        raise InputError("is empty")
    found = content(raw)
    wants = kind if kind in ("docx", "pptx", "pdf") else "text"
    if found == "html" and kind in ("html", "md"):
        return
    if found != wants:
        raise InputError(f"is named .{kind} but holds {_spoken(found)}")


def content(raw: bytes) -> str:
    """``pdf``, ``docx``, ``pptx``, ``html``, ``text``, or words for anything else."""
    if b"%PDF-" in raw[:1024]:
        return "pdf"
    if raw.startswith(b"PK"):
        return _office(raw)
    for magic, name in _BINARY:
        if raw.startswith(magic):
            return name
    head = raw[:512].lstrip(b"\xef\xbb\xbf \t\r\n").lower()
    return "html" if head.startswith((b"<!doctype html", b"<html")) else "text"


def _spoken(found: str) -> str:
    return {"pdf": "a PDF", "docx": "a Word file", "pptx": "slides", "html": "HTML"}.get(
        found, found
    )


def _office(raw: bytes) -> str:
    try:
        with zipfile.ZipFile(io.BytesIO(raw)) as archive:
            members = archive.infolist()
    except (zipfile.BadZipFile, ValueError, NotImplementedError) as error:
        raise InputError("is a damaged zip container", got=str(error)) from error
    # The stated sizes bind: zipfile reads no more than them and then checks the CRC.
    unpacked = sum(member.file_size for member in members)
    bloated = unpacked > _MAX_RATIO * len(raw) and unpacked > _SMALL_ENOUGH
    if bloated or unpacked > _MAX_UNPACKED or len(members) > _MAX_MEMBERS:
        raise InputError(f"is a zip bomb: {len(raw)} bytes would unpack to {unpacked}")
    kinds = (_PARTS[member.filename] for member in members if member.filename in _PARTS)
    return next(kinds, "a zip archive")
