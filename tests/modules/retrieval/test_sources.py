"""What is found below paths, in which order, under which name."""

import hashlib
import json
from collections.abc import Callable
from pathlib import Path

from modules.retrieval.sources import discover
from modules.retrieval.types import Candidate, Refused

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
    paths = ["x" * 5000, "no/such", "https://example.org/a"]
    reasons = [item.reason for item in discover(paths) if isinstance(item, Refused)]
    assert [reason.split(":")[0] for reason in reasons] == [
        "cannot be read",
        "does not exist",
        "is a URL; ingest reads files and folders",
    ]


def test_equal_names_are_told_apart(write: Write) -> None:
    folder = write({"one/a.md": "x", "two/a.md": "y", "one/b.jsonl": '{"text":"1","id":7}\n' * 2})
    assert names(folder / "one", folder / "two") == ["a.md", "7", "b/7", "two/a.md"]


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


def test_a_row_beyond_the_limit_is_skipped_to_its_end(write: Write) -> None:
    lines = [json.dumps({"text": "x" * 500}), json.dumps({"id": "ok", "text": "y"})]
    folder = write({"rows.jsonl": "\n".join(lines)})
    large, small = discover([folder], max_bytes=100)
    assert large == Refused(source="rows.jsonl:1", reason="has over 100 bytes")
    assert isinstance(small, Candidate)
    assert small.origin.source == "ok"
