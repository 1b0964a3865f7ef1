"""Ingestion: the report, doing it twice, changes, duplicates, pruning."""

import json
import os
import shutil
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

from modules.retrieval import EvidenceStore, MiniLM, ingest
from modules.retrieval.ledger import Entry, Ledger
from modules.retrieval.neardup import signature
from signatures.results import IngestResult

Write = Callable[[dict[str, str]], Path]
BODY = " ".join(f"Point {n} is about museums, money and people number {n * n}." for n in range(30))


def same(one: IngestResult, two: IngestResult) -> bool:
    return one.model_dump(exclude={"seconds"}) == two.model_dump(exclude={"seconds"})


def test_report_and_search(corpus: Path, store: EvidenceStore) -> None:
    seen: list[object] = []
    report = ingest([corpus], store, progress=lambda number, source: seen.append((number, source)))
    assert [(taken.source, taken.title) for taken in report.taken] == [
        ("animals.txt", "Animal testing"),
        ("museums.md", "Free museums"),
        ("voting.html", "Electronic voting"),
    ]
    assert report.chunks == sum(taken.chunks for taken in report.taken) == store.count()
    assert report.corpus_version == store.corpus_version()
    assert seen == [(1, "animals.txt"), (2, "museums.md"), (3, "voting.html")]
    best = store.search(["why a recount needs paper", "free admission and the poor"], 1)
    assert [found[0].title for found in best] == ["Electronic voting", "Free museums"]
    assert "often (3)." in best[1][0].text


def test_twice_changes_nothing(corpus: Path, store: EvidenceStore, embedder: MiniLM) -> None:
    first = ingest([corpus], store)
    files = {path: path.stat().st_mtime_ns for path in store.database.path.rglob("*")}
    again = ingest([corpus], EvidenceStore(store.database.path, embedder))
    assert same(first, again)
    after = {path: path.stat().st_mtime_ns for path in store.database.path.rglob("*")}
    assert {path for path in after if after[path] != files.get(path)} <= {
        store.database.path / "writer.lock"
    }


def test_a_changed_document_replaces_its_chunks(corpus: Path, store: EvidenceStore) -> None:
    ingest([corpus], store)
    (corpus / "animals.txt").write_text("Animal testing\n\nA wholly new argument on mice.")
    report = ingest([corpus], store)
    texts = [row["text"] for row in store.rows() if row["source"] == "animals.txt"]
    assert texts == ["A wholly new argument on mice."]
    assert report.chunks == store.count()


def test_exact_duplicates_keep_all_their_sources(write: Write, store: EvidenceStore) -> None:
    folder = write({"a.md": f"# A\n\n{BODY}", "b.txt": f"Other title\n\n{BODY}"})
    report = ingest([folder], store)
    assert [(d.source, d.same_as) for d in report.duplicates] == [("b.txt", "a.md")]
    assert all(row["sources"] == ["a.md", "b.txt"] for row in store.rows())
    assert same(report, ingest([folder], store))


def test_near_duplicates_are_reported_and_left_out(write: Write, store: EvidenceStore) -> None:
    near = BODY.replace("number 4.", "number four.")
    folder = write({"a.txt": BODY, "b.txt": near, "c.txt": BODY[: len(BODY) // 2]})
    report = ingest([folder], store)
    assert [(d.source, d.same_as) for d in report.duplicates] == [("b.txt", "a.txt")]
    assert [taken.source for taken in report.taken] == ["a.txt", "c.txt"]
    assert not any("b.txt" in row["sources"] for row in store.rows())
    # Once the first no longer says the same, the second counts.
    (folder / "a.txt").write_text("Something else altogether.")
    report = ingest([folder], store)
    assert [taken.source for taken in report.taken] == ["a.txt", "b.txt", "c.txt"]


def test_signatures_estimate_likeness() -> None:
    for start in range(0, 2000, 100):
        words = [f"w{n}" for n in range(start, start + 400)]
        whole, most = signature([" ".join(words)]), signature([" ".join(words[:300])])
        assert abs(float((whole == most).mean()) - 298 / 398) < 0.11  # four standard errors
    assert bool((whole == signature([" ".join(words)])).all())
    assert signature(["..."]).shape == (256,)


def test_pruning_drops_what_is_gone(corpus: Path, store: EvidenceStore, embedder: MiniLM) -> None:
    ingest([corpus], store)
    (corpus / "voting.html").unlink()
    kept = ingest([corpus], store)
    assert "voting.html" in {row["source"] for row in store.rows()}
    pruned = ingest([corpus], store, prune=True)
    assert "voting.html" not in {row["source"] for row in store.rows()}
    assert pruned.chunks < kept.chunks
    fresh = EvidenceStore(corpus.parent / "fresh", embedder)
    ingest([corpus], fresh)
    assert fresh.digest() == store.digest()


def test_pruning_frees_a_near_duplicate(write: Write, store: EvidenceStore) -> None:
    folder = write({"a.txt": BODY, "b.txt": BODY.replace("number 4.", "number four.")})
    ingest([folder], store)
    (folder / "a.txt").unlink()
    report = ingest([folder], store, prune=True)
    assert [taken.source for taken in report.taken] == ["b.txt"]
    assert {row["source"] for row in store.rows()} == {"b.txt"}


def test_two_folders_with_one_name_for_two_documents(write: Write, store: EvidenceStore) -> None:
    folder = write({"one/a.md": "On museums.", "two/a.md": "On voting machines."})
    ingest([folder / "one"], store)
    ingest([folder / "two"], store)
    assert {row["source"] for row in store.rows()} == {"a.md", "two/a.md"}
    assert store.corpus_version() == ingest([folder / "two"], store).corpus_version


def test_two_folders_of_one_name(write: Write, store: EvidenceStore, embedder: MiniLM) -> None:
    texts = {"x/docs/a.md": "On museums.", "y/docs/a.md": "On voting machines."}
    folder = write({**texts, "y/docs/docs/a.md": "On animals."})
    one, two = folder / "x" / "docs", folder / "y" / "docs"
    ingest([one], store)
    report = ingest([two], store)
    held = {row["source"]: row["text"] for row in store.rows()}
    assert held == {
        "a.md": "On museums.",
        "docs/a.md": "On voting machines.",
        "docs/docs/a.md": "On animals.",
    }
    # The order of folders, and how they are named, changes nothing.
    again = ingest([two, one.parent / "." / "docs"], EvidenceStore(store.database.path, embedder))
    assert again.corpus_version == report.corpus_version
    assert [taken.source for taken in again.taken] == ["docs/a.md", "docs/docs/a.md", "a.md"]
    # Without the first folder, the second one's names are free: as if it had come alone.
    ingest([two], store, prune=True)
    held = {row["source"]: row["text"] for row in store.rows()}
    assert held == {"a.md": "On voting machines.", "docs/a.md": "On animals."}
    assert same(ingest([two], store), ingest([two], store))


def test_two_json_lines_of_one_name(write: Write, store: EvidenceStore) -> None:
    rows = {name: json.dumps({"id": "7", "text": f"Text {name}."}) for name in ("one", "two")}
    folder = write({f"{name}/rows.jsonl": row for name, row in rows.items()})
    ingest([folder / "one" / "rows.jsonl"], store)
    ingest([folder / "two" / "rows.jsonl"], store)
    held = {row["source"]: row["text"] for row in store.rows()}
    assert held == {"7": "Text one.", "rows/7": "Text two."}


def test_equal_names_in_one_run(write: Write, store: EvidenceStore) -> None:
    rows = "\n".join(json.dumps({"id": 7, "text": f"Row {n}."}) for n in range(3))
    folder = write({"one/a.md": "First.", "two/a.md": "Second.", "one/b.jsonl": rows})
    report = ingest([folder / "one", folder / "two"], store)
    assert [taken.source for taken in report.taken] == ["a.md", "7", "b/7", "7#2", "two/a.md"]
    assert same(report, ingest([folder / "one", folder / "two"], store))


def test_json_lines(write: Write, store: EvidenceStore) -> None:
    row = {"id": "r1", "title": "On fees", "text": "Fees deter.", "url": "https://a.org/x"}
    folder = write({"rows.jsonl": json.dumps(row)})
    ingest([folder / "rows.jsonl"], store)
    [found] = store.rows()
    assert (found["source"], found["title"], found["domain"]) == ("r1", "On fees", "a.org")
    assert found["kind"] == "jsonl"


SCRIPT = """
import sys
from modules.retrieval import EvidenceStore, MiniLM, ingest
store = EvidenceStore(sys.argv[1], MiniLM())
ingest(sys.argv[2:], store, batch=8, progress=lambda n, s: print(n, flush=True))
"""


def start(*arguments: str | Path) -> subprocess.Popen[str]:
    command = [sys.executable, "-c", SCRIPT, *map(str, arguments)]
    return subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)


def numbered(folder: Path, numbers: range) -> Path:
    folder.mkdir()
    for n in numbers:
        text = f"Argument {n}\n\nReason {n} concerns case {n * 7}, which differs in way {n * 13}."
        (folder / f"{n:03}.txt").write_text(text)
    return folder


def test_a_killed_ingestion_is_finished_by_the_next(tmp_path: Path, embedder: MiniLM) -> None:
    folder = numbered(tmp_path / "in", range(60))
    running = start(tmp_path / "index", folder)
    assert running.stdout is not None
    while running.stdout.readline().strip() != "40":
        assert running.poll() is None, running.communicate()
    running.kill()
    running.communicate()
    store = EvidenceStore(tmp_path / "index", embedder)
    assert 0 < store.count() < 60
    fresh = EvidenceStore(tmp_path / "fresh", embedder)
    report, whole = ingest([folder], store), ingest([folder], fresh)
    assert report.chunks == whole.chunks == 60
    assert store.digest() == fresh.digest()
    assert store.search(["case 91"], 5) == fresh.search(["case 91"], 5)


def test_a_file_that_changed_after_a_kill_leaves_nothing_behind(
    write: Write, store: EvidenceStore, monkeypatch: pytest.MonkeyPatch
) -> None:
    folder = write({"a.txt": "The first wording."})
    with monkeypatch.context() as patch:
        patch.setattr(Ledger, "put", killed)
        with pytest.raises(KeyboardInterrupt):
            ingest([folder], store)
    assert [row["text"] for row in store.rows()] == ["The first wording."]
    (folder / "a.txt").write_text("The second wording.")
    ingest([folder], store)
    assert [row["text"] for row in store.rows()] == ["The second wording."]


def killed(ledger: Ledger, entries: list[Entry]) -> None:
    """Once the chunks are written, and before their sources are complete."""
    raise KeyboardInterrupt


def test_two_processes_write_one_index(tmp_path: Path, embedder: MiniLM) -> None:
    left = numbered(tmp_path / "left", range(40))
    right = numbered(tmp_path / "right", range(20, 60))
    running = [start(tmp_path / "index", folder) for folder in (left, right)]
    for process in running:
        _, errors = process.communicate(timeout=120)
        assert process.returncode == 0, errors
    store = EvidenceStore(tmp_path / "index", embedder)
    ids = [row["id"] for row in store.rows()]
    assert len(ids) == len(set(ids)) == store.count() == 60


def test_nothing_is_written_elsewhere(tmp_path: Path, corpus: Path) -> None:
    home = tmp_path / "home"
    (home / "tmp").mkdir(parents=True)
    code = (
        "import socket\n"
        "def refuse(*a, **k): raise AssertionError('network')\n"
        "socket.socket.connect = socket.getaddrinfo = refuse\n" + SCRIPT
    )
    done = subprocess.run(
        [sys.executable, "-c", code, str(tmp_path / "index"), str(corpus)],
        env={**os.environ, "HOME": str(home), "TMPDIR": str(home / "tmp")},
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    assert "nstructured" not in done.stdout + done.stderr
    shutil.rmtree(home / "tmp")
    assert list(home.iterdir()) == []
