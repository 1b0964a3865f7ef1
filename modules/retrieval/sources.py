"""What there is to ingest: files, folders, globs, JSON Lines and addresses, in a fixed order."""

from __future__ import annotations

import hashlib
import itertools
import json
import os
import re
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import astuple
from pathlib import Path

from modules.retrieval.partition import MAX_BYTES
from modules.retrieval.sniff import KINDS
from modules.retrieval.types import Candidate, Origin
from signatures.results import Refused

_TEXT_FIELDS = ("text", "content", "body")
_NAMED = ("title", "topic", "date", "url", "lang")
_MAGIC = re.compile(r"[*?\[]")
_BYTE = re.compile("[\udc80-\udcff]")  # a byte that is no UTF-8, as Python carries it in a name
_HTTP = ("http://", "https://")
_LIST = ".urls"
_APART = ("readme", "license", "licence", "manifest.json")


def discover(
    paths: Iterable[str | Path], max_bytes: int = MAX_BYTES
) -> Iterator[Candidate | Refused]:
    """Every document below ``paths``, sorted within each folder, and a refusal for each misfit.

    A folder is walked (hidden names skipped, links to folders not followed); its own README,
    LICENSE and ``manifest.json`` are not evidence. A manifest's titles and topics are used. A
    ``.jsonl`` file gives one document per row ``{id, title, text, url, date, topic, lang}``.
    An http(s) address gives a page still to be fetched, a list of addresses (``.urls``, or a
    ``.txt`` of nothing else) one for each; a list inside a folder is not followed, so that a
    folder never reaches the network.
    Two documents can have one ``source``; see :func:`names`.
    """
    for path in paths:
        try:
            yield from map(_sound, _below(str(path), max_bytes))
        except OSError as error:
            reason = f"cannot be read: {error.strerror or error}"
            yield Refused(source=_escaped(str(path)[:200]), reason=reason)


def names(origin: Origin) -> Iterator[str]:
    """What a document can be called, best first: as it is, with its root in front, numbered."""
    yield origin.source
    if origin.root:
        yield f"{origin.root_name}/{origin.source}"
    for number in itertools.count(2):
        yield f"{origin.source}#{number}"


def _below(path: str, max_bytes: int) -> Iterator[Candidate | Refused]:
    if path.startswith(_HTTP):
        yield page_at(path, "web")
    elif Path(path).is_dir():
        yield from _folder(Path(path), max_bytes)
    elif (lines := _listed(Path(path), max_bytes)) is not None:
        yield from _pages(lines, Path(path))
    elif Path(path).exists():
        yield from _file(Path(path), Path(path).parent, {}, max_bytes)
    elif _MAGIC.search(path):
        yield from _matches(path, max_bytes)
    else:
        yield Refused(source=path, reason="does not exist")


def page_at(url: str, root: str) -> Candidate:
    """The page at ``url``, still to be fetched; ``root`` is what named it."""
    return Candidate(Origin(url, root, url=url, kind="html"))


def _listed(path: Path, max_bytes: int) -> list[str] | None:
    """The lines of a list of addresses; None if the file is something else."""
    suffix = path.suffix.lower()
    if suffix not in (_LIST, ".txt") or not path.is_file() or path.stat().st_size > max_bytes:
        return None
    lines = path.read_text("utf-8-sig", "replace").splitlines()
    told = [line for line in map(str.strip, lines) if line and not line.startswith("#")]
    whole = bool(told) and all(_is_address(line) for line in told)
    return lines if whole or suffix == _LIST else None


def _pages(lines: list[str], path: Path) -> Iterator[Candidate | Refused]:
    """The pages a list names, each once; text after a ``#`` that opens a line is a remark."""
    root, seen = _identity(path), set()
    for number, line in enumerate(map(str.strip, lines), 1):
        if not line or line.startswith("#") or line in seen:
            continue
        seen.add(line)
        if _is_address(line):
            yield page_at(line, root)
        else:
            yield Refused(source=f"{path.name}:{number}", reason="is no http(s) address")


def _is_address(line: str) -> bool:
    return line.startswith(_HTTP) and len(line.split()) == 1


def _matches(pattern: str, max_bytes: int) -> Iterator[Candidate | Refused]:
    """The files a glob names, relative to the folder that stands before its magic."""
    parts = Path(pattern).parts
    fixed = next(at for at, part in enumerate(parts) if _MAGIC.search(part))
    root = Path(*parts[:fixed])
    found = sorted(path for path in root.glob("/".join(parts[fixed:])) if path.is_file())
    shown = [path for path in found if not _hidden(path, root)]
    if not shown:
        yield Refused(source=pattern, reason="matches no file")
    for path in shown:
        yield from _file(path, root, {}, max_bytes)


def _hidden(path: Path, root: Path) -> bool:
    return any(part.startswith(".") for part in path.relative_to(root).parts)


def _folder(root: Path, max_bytes: int) -> Iterator[Candidate | Refused]:
    try:
        manifest = _manifest(root)
    except (OSError, ValueError, TypeError, KeyError, AttributeError) as error:
        yield Refused(source="manifest.json", reason=f"is no readable manifest: {error}")
        manifest = {}
    left = dict(manifest)
    for path in _walk(root):
        left.pop(path.relative_to(root).as_posix(), None)
        yield from _file(path, root, manifest, max_bytes)
    for source in sorted(left):
        yield Refused(source=source, reason="stands in manifest.json but does not exist")


def _walk(root: Path) -> Iterator[Path]:
    for folder, folders, files in os.walk(root):
        folders[:] = sorted(name for name in folders if not name.startswith("."))
        for name in sorted(files):
            apart = Path(folder) == root and name.lower().startswith(_APART)
            if not name.startswith(".") and not apart:
                yield Path(folder, name)


def _manifest(root: Path) -> dict[str, dict[str, str]]:
    """The manifest's entries by source, or nothing if the folder has none."""
    path = root / "manifest.json"
    if not path.is_file():
        return {}
    documents = json.loads(path.read_text("utf-8")).get("documents", [])
    return {str(entry["source"]): entry for entry in documents}


def _file(
    path: Path, root: Path, manifest: dict[str, dict[str, str]], max_bytes: int
) -> Iterator[Candidate | Refused]:
    source = path.relative_to(root).as_posix()
    suffix = path.suffix.lower()
    if not path.is_file():
        yield Refused(source=source, reason="is not a regular file")
    elif suffix == ".jsonl":
        yield from _rows(path, source, max_bytes)
    elif suffix == _LIST:
        yield Refused(source=source, reason="is a list of addresses; name it itself to follow it")
    elif suffix not in KINDS:
        kinds = " ".join([*KINDS, ".jsonl"])
        yield Refused(source=source, reason=f"is of unsupported type {suffix!r}; expected {kinds}")
    else:
        entry = manifest.get(source, {})
        origin = Origin(
            source,
            _identity(root),
            kind=KINDS[suffix],
            **_named(entry),
        )
        yield Candidate(origin, path, sha256=entry.get("sha256"))


def _rows(path: Path, name: str, max_bytes: int) -> Iterator[Candidate | Refused]:
    root = _identity(path)
    with path.open("rb") as lines:
        number = 0
        while line := lines.readline(max_bytes + 1):
            number += 1
            where = f"{name}:{number}"
            if len(line) > max_bytes:
                yield Refused(source=where, reason=f"has over {max_bytes} bytes")
                while line and not line.endswith(b"\n"):
                    line = lines.readline(max_bytes)
            elif line.strip():
                yield _row(line, where, root)


def _row(line: bytes, where: str, root: str) -> Candidate | Refused:
    try:
        row = json.loads(line)
    except (ValueError, RecursionError):
        return Refused(source=where, reason="is no JSON in UTF-8")
    if not isinstance(row, dict):
        return Refused(source=where, reason="is no JSON object")
    text = next((row[name] for name in _TEXT_FIELDS if isinstance(row.get(name), str)), None)
    if not text or not text.strip():
        return Refused(source=where, reason="has no text")
    source = next((str(row[name]) for name in ("id", "doc_id", "url") if row.get(name)), where)
    return Candidate(Origin(source, root, kind="jsonl", **_named(row)), text=text)


def _named(fields: Mapping[str, object]) -> dict[str, str]:
    return {name: str(fields.get(name) or "") for name in _NAMED}


def _identity(root: Path) -> str:
    """Base name and a hash of the resolved path, so that two folders ``docs`` stay apart."""
    place = root.resolve()
    name = place.stem if place.suffix == ".jsonl" else place.name
    return f"{_escaped(name)}-{hashlib.sha256(os.fsencode(place)).hexdigest()[:12]}"


def _sound(found: Candidate | Refused) -> Candidate | Refused:
    """Refuse a document that cannot be named in UTF-8: index and report could not hold it."""
    if isinstance(found, Refused):
        return Refused(source=_escaped(found.source), reason=_escaped(found.reason))
    if all(_escaped(part) == part for part in astuple(found.origin)):
        return found
    reason = "has a name or title that is not valid UTF-8"
    return Refused(source=_escaped(found.origin.source), reason=reason)


def _escaped(text: str) -> str:
    r"""With what UTF-8 cannot hold as ``\xe9`` (a byte of a file name) or ``\ud800``."""
    shown = _BYTE.sub(lambda byte: f"\\x{ord(byte[0]) - 0xDC00:02x}", text)
    return shown.encode("utf-8", "backslashreplace").decode()
