"""What is found below paths, in which order, under which name."""

import hashlib
import json
import os
from collections.abc import Callable
from pathlib import Path

from modules.retrieval.sources import discover
from modules.retrieval.types import Candidate
from signatures.results import Refused

Write = Callable[[dict[str, str]], Path]


def names(*paths: str | Path) -> list[str]:
    found = discover(paths)
    return [item.origin.source if isinstance(item, Candidate) else item.source for item in found]


def test_folders_are_walked_in_order(write: Write) -> None:
    files = ["b/z.md", "b/a.txt", "a.md", ".hidden/x.md", ".x.md", "README.md", "b/README.md"]
    folder = write({**dict.fromkeys(files, "text"), "LICENSE": "x"})
    assert names(folder) == ["a.md", "b/README.md", "b/a.txt", "b/z.md"]


def test_files_and_globs(write: Write) -> None:
    folder = write(dict.fromkeys(["b/z.md", "b/a.txt", "a.md", ".c/x.md", "README.md"], "text"))
    assert names(folder / "README.md") == ["README.md"]
    assert names(f"{folder}/**/*.md") == ["README.md", "a.md", "b/z.md"]
    assert names(f"{folder}/b/?.*") == ["a.txt", "z.md"]
    assert names(f"{folder}/*.pdf") == [f"{folder}/*.pdf"]


def test_paths_that_cannot_be_used_are_refused() -> None:
    paths = ["x" * 5000, "no/such"]
    reasons = [item.reason for item in discover(paths) if isinstance(item, Refused)]
    assert [reason.split(":")[0] for reason in reasons] == [
        "cannot be read",
        "does not exist",
    ]


def test_roots_are_told_apart_by_where_they_lie(write: Write) -> None:
    row = '{"text":"1","id":7}\n'
    folder = write({"x/docs/a.md": "x", "y/docs/a.md": "y", "x/b.jsonl": row, "y/b.jsonl": row})
    roots = [folder / "x" / "docs", folder / "y" / "docs", folder / "x", folder / "y"]
    origins = [found.origin for found in discover(roots) if isinstance(found, Candidate)]
    shown = [(origin.root_name, origin.source) for origin in origins]
    assert shown == [
        ("docs", "a.md"),
        ("docs", "a.md"),
        ("b", "7"),
        ("x", "docs/a.md"),
        ("b", "7"),
        ("y", "docs/a.md"),
    ]
    assert len({origin.root for origin in origins}) == 6
    [again] = discover([folder / "y" / ".." / "x" / "docs" / "a.md"])
    assert isinstance(again, Candidate)
    assert again.origin == origins[0]


def test_a_manifest_gives_titles_and_hashes(write: Write) -> None:
    text = "Some text."
    good = {
        "source": "a.md",
        "title": "Told",
        "topic": "museums",
        "sha256": hashlib.sha256(text.encode()).hexdigest(),
    }
    manifest = json.dumps({"documents": [good, {"source": "gone.md"}]})
    folder = write({"a.md": text, "b.md": "unlisted", "manifest.json": manifest})
    first, second, gone = discover([folder])
    assert isinstance(first, Candidate)
    assert (first.origin.title, first.origin.topic) == ("Told", "museums")
    assert isinstance(second, Candidate)
    assert second.sha256 is None
    assert gone == Refused(source="gone.md", reason="stands in manifest.json but does not exist")


def test_a_manifest_that_is_none(write: Write) -> None:
    folder = write({"a.md": "text", "manifest.json": '["x"]'})
    refused, taken = discover([folder])
    assert isinstance(refused, Refused)
    assert isinstance(taken, Candidate)


def test_rows_of_json_lines(write: Write) -> None:
    row = {"id": "r1", "title": "T", "text": "Words.", "url": "https://a.org/x", "date": "2024"}
    lines = [json.dumps(row), "", json.dumps({"text": "Other.", "url": "https://b.org"}), "nope"]
    folder = write({"rows.jsonl": "\n".join(lines)})
    first, second, bad = discover([folder / "rows.jsonl"])
    assert isinstance(first, Candidate)
    assert isinstance(second, Candidate)
    assert first.origin.url == "https://a.org/x"
    assert (first.origin.source, second.origin.source) == ("r1", "https://b.org")
    assert bad == Refused(source="rows.jsonl:4", reason="is no JSON in UTF-8")


def test_names_beyond_utf_8_are_refused(tmp_path: Path) -> None:
    folder = Path(os.fsdecode(os.fsencode(tmp_path) + b"/r\xe9sum\xe9s"))
    folder.mkdir()
    for name in (b"caf\xe9.txt", "café.txt".encode(), b"caf\xe9.jsonl"):
        Path(os.fsdecode(os.fsencode(folder) + b"/" + name)).write_text('{"text": "Words."}')
    (folder / "rows.jsonl").write_text('{"id": "\\ud800", "text": "x"}\n{"id": 1, "text": "x"}')
    found = list(discover([folder, folder / "missing"]))
    reason = "has a name or title that is not valid UTF-8"
    assert [item for item in found if isinstance(item, Refused)] == [
        Refused(source=r"caf\xe9.jsonl:1", reason=reason),
        Refused(source=r"caf\xe9.txt", reason=reason),
        Refused(source=r"\ud800", reason=reason),
        Refused(source=rf"{tmp_path}/r\xe9sum\xe9s/missing", reason="does not exist"),
    ]
    origins = [item.origin for item in found if isinstance(item, Candidate)]
    assert [(origin.source, origin.root_name) for origin in origins] == [
        ("café.txt", r"r\xe9sum\xe9s"),
        ("1", "rows"),
    ]


def test_a_row_beyond_the_limit_is_skipped_to_its_end(write: Write) -> None:
    lines = [json.dumps({"text": "x" * 500}), json.dumps({"id": "ok", "text": "y"})]
    folder = write({"rows.jsonl": "\n".join(lines)})
    large, small = discover([folder], max_bytes=100)
    assert large == Refused(source="rows.jsonl:1", reason="has over 100 bytes")
    assert isinstance(small, Candidate)
    assert small.origin.source == "ok"


def test_an_address_is_a_page_to_fetch() -> None:
    [found] = discover(["https://example.org/a?b=1"])
    assert isinstance(found, Candidate)
    assert found.remote
    assert (found.origin.source, found.origin.url) == ("https://example.org/a?b=1",) * 2


def test_lists_of_addresses(write: Write) -> None:
    lines = "\ufeff# a remark\nhttps://a.org/x\n\n  http://b.org  \nhttps://a.org/x\n"
    folder = write({"urls.txt": lines, "more.urls": lines + "ftp://c.org\n"})
    addresses = ["https://a.org/x", "http://b.org"]
    assert names(folder / "urls.txt") == addresses
    assert names(folder / "more.urls") == [*addresses, "more.urls:6"]
    # A folder never reaches the network: there, a list is a text, or refused.
    kept, refused = sorted(discover([folder]), key=lambda found: isinstance(found, Refused))
    assert isinstance(kept, Candidate)
    assert not kept.remote
    assert refused == Refused(
        source="more.urls", reason="is a list of addresses; name it itself to follow it"
    )


def test_a_text_with_an_address_is_a_text(write: Write) -> None:
    folder = write({"a.txt": "https://a.org/x\nis worth reading", "empty.txt": "# nothing"})
    for name in ("a.txt", "empty.txt"):
        [found] = discover([folder / name])
        assert isinstance(found, Candidate)
        assert not found.remote
