"""What flows from a file to the index: candidate, document, chunk."""

from __future__ import annotations

from dataclasses import dataclass, fields
from pathlib import Path


@dataclass(frozen=True, slots=True)
class Origin:
    """What is known of a document besides its text. Unknown parts are empty.

    ``source`` names it in the index and in citations: the path below the ingested folder, a
    row's id, or a page's address. ``root`` tells equal names of two folders apart: that folder's
    or file's base name, a dash, and a hash of where it lies.
    ``date`` is ISO 8601, ``lang`` ISO 639-1, ``kind`` a file type (``md``, ``pdf``, ...).
    """

    source: str
    root: str = ""
    title: str = ""
    topic: str = ""
    date: str = ""
    url: str = ""
    lang: str = ""
    kind: str = "txt"

    @property
    def root_name(self) -> str:
        """The root as people know it."""
        return self.root.rpartition("-")[0]

    def plain(self) -> dict[str, str]:
        """Its fields by name; ``dataclasses.asdict`` would copy every string deeply."""
        return {field.name: getattr(self, field.name) for field in fields(self)}


@dataclass(frozen=True, slots=True)
class Candidate:
    """A document found and not yet read: a file at ``path``, a row that brought ``text``, a page
    fetched as ``raw``; or, with none of these, a page at ``origin.url`` still to be fetched.

    ``sha256`` is what a manifest says the file's hash is.
    """

    origin: Origin
    path: Path | None = None
    text: str | None = None
    sha256: str | None = None
    raw: bytes | None = None

    @property
    def remote(self) -> bool:
        """Whether it has still to be fetched."""
        return self.path is None and self.text is None and self.raw is None


@dataclass(frozen=True, slots=True)
class Block:
    """A paragraph, list item, table or row, under the heading ``section`` (may be empty)."""

    text: str
    section: str = ""


@dataclass(frozen=True, slots=True)
class Parsed:
    """What a format's reader found: blocks in reading order, and what the file says of itself."""

    blocks: tuple[Block, ...]
    title: str = ""
    date: str = ""
    url: str = ""
    topic: str = ""
    lang: str = ""


@dataclass(frozen=True, slots=True)
class Document:
    """A cleaned document. ``hash`` is the sha256 of its normalised text, title excluded."""

    origin: Origin
    blocks: tuple[Block, ...]
    hash: str


@dataclass(frozen=True, slots=True)
class Chunk:
    """A passage of a document, short enough for the embedder's window.

    ``id`` is the first 20 hex digits of the sha256 of the normalised text, so equal passages are
    one chunk wherever they stand. ``position`` counts chunks from 0; ``document`` is the hash of
    the whole document.
    """

    id: str
    text: str
    origin: Origin
    section: str
    position: int
    document: str
