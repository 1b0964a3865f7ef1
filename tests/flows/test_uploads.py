"""Documents of a reader's own: what is taken, what is refused and why, where they go."""

from __future__ import annotations

import io
import os
import zipfile
from pathlib import Path

import pytest

from flows import uploads
from flows.uploads import Upload, give_to, take_in


@pytest.fixture
def place(home: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """An artifacts folder of its own, with the converted embedder."""
    (tmp_path / "cache").mkdir()
    (tmp_path / "cache" / "openvino").symlink_to(home / "cache" / "openvino")
    monkeypatch.setenv("MOOT_ARTIFACTS", str(tmp_path))
    return tmp_path


def bomb() -> bytes:
    held = io.BytesIO()
    with zipfile.ZipFile(held, "w", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr("word/document.xml", b"\0" * 50_000_000)
    return held.getvalue()


def test_sound_files_are_taken_and_hostile_ones_refused_by_name(place: Path) -> None:
    found = take_in(
        [
            Upload("fees.md", b"# Fees\n\nEntrance fees pay for the guards of every museum."),
            Upload("again.txt", b"Fees\n\nEntrance fees pay for the guards of every museum."),
            Upload("../../etc/passwd.txt", b"Free museums draw poor families."),
            Upload("list.txt", b"http://169.254.169.254/latest\nhttp://127.0.0.1/\n"),
            Upload("lie.pdf", b"Only words."),
            Upload("bomb.docx", bomb()),
            Upload("tool.exe", b"MZ"),
            Upload("empty.txt", b" \n"),
        ]
    )
    taken, refused, twins = found.absorbed
    # An address is text here: nothing is fetched.
    assert [t.source for t in taken] == ["fees.md", "passwd.txt", "list.txt"]
    assert [(t.source, t.same_as) for t in twins] == [("again.txt", "fees.md")]
    reasons = {r.source: r.reason for r in refused}
    assert reasons.keys() == {"lie.pdf", "bomb.docx", "tool.exe", "empty.txt"}
    assert "holds text" in reasons["lie.pdf"]
    assert "zip bomb" in reasons["bomb.docx"]
    assert "type that cannot be read" in reasons["tool.exe"]
    index = give_to(found, place / "runs" / "debate" / "r1")
    assert index.is_dir()
    assert not list((place / "uploads").iterdir())


def test_number_and_size_have_limits(place: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(uploads, "FILES", 3)
    monkeypatch.setattr(uploads, "_MB", 20)
    files = [Upload(f"{n}.txt", b"w" * 110 if n == 1 else b"word " * 18) for n in range(5)]
    _, refused, _ = take_in(files).absorbed
    assert [r.source for r in refused if "larger" in r.reason] == ["1.txt"]
    assert [r.source for r in refused if "one too many" in r.reason] == ["3.txt", "4.txt"]
    monkeypatch.setattr(uploads, "TOGETHER_MEGABYTES", 9)
    _, refused, _ = take_in([Upload(f"{n}.txt", b"word " * 18) for n in range(3)]).absorbed
    assert [r.source for r in refused] == ["2.txt"]
    assert "together" in refused[0].reason


def test_what_nobody_took_is_forgotten_after_a_day(place: Path) -> None:
    old = place / "uploads" / "old"
    old.mkdir(parents=True)
    os.utime(old, (0, 0))
    found = take_in([Upload("a.txt", b"Entrance fees pay for guards.")])
    assert not old.exists()
    uploads.drop(found)
    assert not found.folder.exists()
