"""The store: identity, versions, the embedder it belongs to, and the rankings."""

import errno
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from datetime import timedelta
from pathlib import Path

import numpy as np
import pytest

from modules.retrieval import EvidenceStore, MiniLM, OpenAIEmbedder
from modules.retrieval.chunk import chunk_id
from modules.retrieval.database import Database
from modules.retrieval.embed import Vectors
from modules.retrieval.ranking import Hit, Mode, by_rank, by_score
from modules.retrieval.specs import StoreRetriever, StoreRetrieverSpec
from modules.retrieval.types import Chunk, Origin
from signatures.errors import ConfigError, EvidenceError, InputError, StorageError

TEXTS = {
    "fees.md": "Museum entry fees keep poor families away from art and history.",
    "budget.md": "Without ticket income, museums depend on the state budget.",
    "hack.md": "Electronic voting machines can be tampered with by attackers.",
    "paper.md": "A paper trail lets officials recount an election by hand.",
    "rats.md": "Laboratory animals feel pain during drug experiments.",
}


def piece(text: str, source: str = "a.md", **known: str) -> Chunk:
    origin = Origin(source, title=source.removesuffix(".md"), **known)
    return Chunk(chunk_id(text), text, origin, "", 0, "doc")


@pytest.fixture
def filled(store: EvidenceStore) -> EvidenceStore:
    store.upsert(piece(text, source) for source, text in TEXTS.items())
    return store


def sources(store: EvidenceStore, query: str, k: int = 2, **options: object) -> list[str]:
    return [found.source for found in store.search([query], k, **options)[0]]  # type: ignore[arg-type]


@pytest.mark.parametrize("mode", ["hybrid", "dense", "fulltext"])
def test_search_finds_the_subject(filled: EvidenceStore, mode: Mode) -> None:
    assert sources(filled, "election recount with paper", 1, mode=mode) == ["paper.md"]
    assert sources(filled, "museum ticket income", 1, mode=mode) == ["budget.md"]


def test_similarity_is_the_cosine_in_every_mode(filled: EvidenceStore) -> None:
    query = "pain of animals in the laboratory"
    for mode in ("hybrid", "dense", "fulltext"):
        found = filled.search([query], 3, mode=mode)[0]
        vectors = filled.embedder.encode([query, *[passage.text for passage in found]])
        cosines = [passage.similarity or 0.0 for passage in found]
        assert np.allclose(cosines, vectors[1:] @ vectors[0], atol=1e-5)


def test_a_batch_equals_its_queries(filled: EvidenceStore) -> None:
    queries = ["museum fees", "voting", "", '(broken "query AND *:^~', "日本語", "the of"]
    together = filled.search(queries, 3)
    assert [len(found) for found in together] == [3] * len(queries)
    for query, found in zip(queries, together, strict=True):
        again = filled.search([query], 3)[0]
        assert [passage.id for passage in again] == [passage.id for passage in found]
    assert filled.search([], 3) == []


def test_equal_scores_are_ordered_by_id(store: EvidenceStore) -> None:
    words = ["alpha", "beta", "gamma", "delta"]
    store.upsert(piece(f"Zebra number {word}.", f"{word}.md") for word in words)
    found = store.search(["zebra"], 4, mode="fulltext")[0]
    assert [passage.id for passage in found] == sorted(passage.id for passage in found)


def test_ranking_does_not_depend_on_how_the_corpus_came_in(
    tmp_path: Path, embedder: MiniLM
) -> None:
    pieces = [piece(text, source) for source, text in TEXTS.items()]
    one, many = (EvidenceStore(tmp_path / name, embedder) for name in ("one", "many"))
    one.upsert(pieces)
    for each in reversed(pieces):
        many.upsert([each])
    many.upsert([piece("To be dropped.", "gone.md")])
    many.forget("gone.md")
    many.finish()
    queries = ["museum budget", "vote by machine", "animals"]
    assert one.search(queries, 5) == many.search(queries, 5)
    assert one.search(queries, 5, mode="fulltext") == many.search(queries, 5, mode="fulltext")
    assert one.digest() == many.digest()


def test_filters(store: EvidenceStore) -> None:
    store.upsert(
        [
            piece("Free entry.", "a.md", topic="museums", date="2023-12-31", lang="en", kind="md"),
            piece("Fair entry.", "it's.md", topic="o'topic", date="2024-06-01", kind="pdf"),
            piece("Late entry.", "c.md", url="https://www.example.org/x", date="2025", kind="html"),
        ]
    )
    assert sources(store, "entry", 9, filters={"topic": "o'topic"}) == ["it's.md"]
    assert sources(store, "entry", 9, filters={"source": "it's.md"}) == ["it's.md"]
    assert sources(store, "entry", 9, filters={"domain": "example.org"}) == ["c.md"]
    for under, found in (("org", ["c.md"]), ("ample.org", []), (["gov", "example.org"], ["c.md"])):
        assert sources(store, "entry", 9, filters={"under": under}) == found
    assert set(sources(store, "entry", 9, filters={"kind": ["md", "pdf"]})) == {"a.md", "it's.md"}
    between = {"date_from": "2024", "date_to": "2024"}
    assert sources(store, "entry", 9, filters=between) == ["it's.md"]
    assert sources(store, "entry", 9, filters={"kind": "md", "lang": "de"}) == []
    with pytest.raises(InputError, match="topics"):
        store.search(["entry"], filters={"topics": "x"})


def test_searches_that_cannot_run(filled: EvidenceStore) -> None:
    for options in ({"k": 0}, {"mode": "magic"}):
        with pytest.raises(InputError, match="cannot be run"):
            filled.search(["x"], **options)


class Counting(MiniLM):
    """The real embedder, which also says what it embedded."""

    def __init__(self) -> None:
        super().__init__()
        self.seen: list[str] = []

    def encode(self, texts: Sequence[str]) -> Vectors:
        self.seen += texts
        return super().encode(texts)


def test_what_is_there_is_not_embedded_again(tmp_path: Path) -> None:
    counting = Counting()
    store = EvidenceStore(tmp_path, counting)
    assert store.upsert([piece("One text."), piece("Two texts.")]) == 2
    version = store.corpus_version()
    assert store.upsert([piece("One text."), piece("Two texts.")]) == 0
    assert store.corpus_version() == version
    assert store.upsert([piece("One text.", "b.md"), piece("Three texts.", "b.md")]) == 1
    assert counting.seen == ["One text.", "Two texts.", "Three texts."]
    by_text = {row["text"]: row for row in store.rows()}
    assert by_text["One text."]["sources"] == ["a.md", "b.md"]
    assert by_text["One text."]["source"] == "a.md"


def test_forgetting_a_source_keeps_what_others_hold(store: EvidenceStore) -> None:
    store.upsert([piece("Shared.", "a.md"), piece("Own.", "a.md"), piece("Shared.", "b.md")])
    store.forget("a.md")
    [row] = store.rows()
    assert (row["text"], row["source"], row["title"]) == ("Shared.", "b.md", "b")
    assert row["sources"] == ["b.md"]


def test_old_versions_can_be_read(filled: EvidenceStore, embedder: MiniLM) -> None:
    before = filled.corpus_version()
    found = filled.search(["museum fees"], 3)
    filled.upsert([piece("Museum fees are a museum matter.", "new.md")])
    assert filled.corpus_version() != before
    old = EvidenceStore(filled.database.path, embedder, version=before)
    assert (old.count(), old.corpus_version()) == (5, before)
    assert old.search(["museum fees"], 3) == found
    assert filled.search(["museum fees"], 3) != found
    with pytest.raises(EvidenceError, match="for reading"):
        old.upsert([piece("x")])
    for name in ("v1-00000000", "v999-00000000", "nonsense", before[:-1] + "x"):
        with pytest.raises(EvidenceError, match=f"no version {name}"):
            EvidenceStore(filled.database.path, embedder, version=name).count()


def test_old_versions_survive_a_clean_up(filled: EvidenceStore, embedder: MiniLM) -> None:
    before = filled.corpus_version()
    filled.forget("fees.md")
    filled.finish()
    with (
        pytest.warns(UserWarning, match="removes every version"),
        pytest.raises(RuntimeError, match="tagged version"),
    ):
        filled.database.open("chunks").optimize(cleanup_older_than=timedelta(0))
    assert EvidenceStore(filled.database.path, embedder, version=before).count() == 5


def test_an_open_store_sees_what_another_writes(filled: EvidenceStore, embedder: MiniLM) -> None:
    EvidenceStore(filled.database.path, embedder).upsert([piece("Zoos teach.", "zoo.md")])
    assert filled.count() == 6
    assert sources(filled, "zoos", 1) == ["zoo.md"]


def test_an_open_retriever_keeps_its_corpus(filled: EvidenceStore, embedder: MiniLM) -> None:
    retriever = StoreRetriever(filled, "hybrid")
    before = retriever.search(["museum fees"], 3), retriever.identity(), retriever.corpus_version
    filled.upsert([piece("Museum fees are a museum matter.", "new.md")])
    filled.forget("fees.md")
    filled.finish()
    after = retriever.search(["museum fees"], 3), retriever.identity(), retriever.corpus_version
    assert after == before
    spec = StoreRetrieverSpec(version=None)
    fresh = spec.open(filled.database.path, embedder)
    found = [passage.source for passage in fresh.search(["museum fees"], 3)[0]]
    assert "new.md" in found
    assert "fees.md" not in found
    assert fresh.identity() != retriever.identity()


@pytest.mark.parametrize("mode", ["hybrid", "dense", "fulltext"])
def test_a_retriever_of_an_unfinished_index(store: EvidenceStore, mode: Mode) -> None:
    store.add([piece("Museum fees deter.")])
    retriever = StoreRetriever(store, mode)
    assert store.database.open("chunks").tags.list() == {}
    store.upsert([piece("Museum fees pay.", "b.md")])
    assert [found.source for found in retriever.search(["museum fees"], 3)[0]] == ["a.md"]


def test_no_index(store: EvidenceStore) -> None:
    for use in (store.count, store.digest, lambda: store.search(["x"])):
        with pytest.raises(EvidenceError, match="moot ingest"):
            use()
    assert not store.database.path.exists()


def test_another_embedder_is_refused(filled: EvidenceStore) -> None:
    other = EvidenceStore(filled.database.path, OpenAIEmbedder("m", dimension=384))
    with pytest.raises(EvidenceError, match=r"expected all-MiniLM-L6-v2@53aa5117; got openai/m"):
        other.search(["x"])
    with pytest.raises(EvidenceError, match="another embedder"):
        other.upsert([piece("x")])


def test_a_busy_writer_is_waited_for_and_then_named(tmp_path: Path, embedder: MiniLM) -> None:
    store = EvidenceStore(tmp_path, embedder, lock_timeout=0.1)
    with (
        EvidenceStore(tmp_path, embedder).database.writing(),
        pytest.raises(StorageError, match="another process"),
    ):
        store.upsert([piece("x")])


def test_a_folder_that_cannot_be_written(tmp_path: Path, embedder: MiniLM) -> None:
    (tmp_path / "file").write_text("in the way")
    with pytest.raises(StorageError, match="cannot be written"):
        EvidenceStore(tmp_path / "file" / "index", embedder).upsert([piece("x")])


@pytest.mark.parametrize(
    "error",
    [
        OSError(errno.ENOSPC, "No space left on device"),
        OSError(errno.EROFS, "Read-only file system"),
        RuntimeError("lance error: LanceError(IO): Generic error: Permission denied (os error 13)"),
    ],
)
def test_a_disk_that_refuses(tmp_path: Path, error: Exception) -> None:
    with pytest.raises(StorageError, match="cannot be written"), Database(tmp_path).writing():
        raise error


@pytest.mark.parametrize(
    "error",
    [RuntimeError("cannot schedule new futures"), OSError(errno.ECONNRESET, "reset by peer")],
)
def test_other_faults_are_not_the_disks(tmp_path: Path, error: Exception) -> None:
    with pytest.raises(type(error)) as met, Database(tmp_path).writing():
        raise error
    assert met.value is error


@pytest.mark.parametrize("part", ["data", "_versions", "_indices"])
@pytest.mark.parametrize("how", ["cut", "overwritten", "gone"])
def test_a_damaged_index(filled: EvidenceStore, embedder: MiniLM, part: str, how: str) -> None:
    for path in list((filled.database.path / "chunks.lance" / part).rglob("*")):
        if path.is_file() and how == "gone":
            path.unlink()
        elif path.is_file():
            whole = path.read_bytes()
            path.write_bytes(whole[: len(whole) // 2] if how == "cut" else b"\7" * len(whole))
    damaged = EvidenceStore(filled.database.path, embedder)
    uses: list[Callable[[], object]]
    uses = [lambda: damaged.search(["museum fees"]), lambda: damaged.upsert([piece("More.")])]
    for use in uses[:1] if part == "_indices" else uses:  # writing builds its own text index
        with pytest.raises(EvidenceError, match="is damaged") as refused:
            use()
        assert str(damaged.database.path) in refused.value.what
        assert refused.value.remedy == "delete that folder and run: moot ingest PATH"


def test_faults_of_a_whole_index_are_passed_on(tmp_path: Path) -> None:
    for message in ("no such thing", "lance error: Too many open files (os error 24)"):
        with pytest.raises(RuntimeError, match=message[:9]), Database(tmp_path).reading():
            raise RuntimeError(message)
    with pytest.raises(EvidenceError, match="permissions"), Database(tmp_path).reading():
        raise RuntimeError("lance error: Permission denied")


def test_many_threads_read_while_one_writes(filled: EvidenceStore) -> None:
    with ThreadPoolExecutor(4) as pool:
        reads = [pool.submit(filled.search, ["museum fees", "voting"], 3) for _ in range(20)]
        filled.upsert([piece(f"Text number {n} on cheese.", "cheese.md") for n in range(5)])
        assert all(len(found) == 3 for read in reads for found in read.result())
    assert filled.count() == 10


def test_a_word_of_the_title_or_heading_is_found(store: EvidenceStore) -> None:
    origin = Origin("z.md", title="Zoological gardens")
    store.upsert([Chunk("a" * 20, "Entry is dear.", origin, "Giraffes", 0, "doc")])
    store.upsert(piece(text, source) for source, text in TEXTS.items())
    for word in ("zoological", "giraffe"):
        found = store.search([word], 9, mode="fulltext")[0]
        assert [(passage.source, passage.text) for passage in found] == [("z.md", "Entry is dear.")]


def test_full_text_is_bm25(filled: EvidenceStore) -> None:
    """Against the formula, on words that no stemmer or stop list touches."""
    query, asked = "state budget election", {"state", "budget", "elect"}
    words = {
        key: filled.database.open("chunks").tokenize(row, column="words")
        for key, row in ((row["id"], f"{row['title']}\n{row['text']}") for row in filled.rows())
    }
    held = {key: [token.text for token in found] for key, found in words.items()}
    mean = np.mean([len(tokens) for tokens in held.values()])
    expected = {}
    for key, tokens in held.items():
        score = 0.0
        for term in asked:
            frequency = tokens.count(term)
            n = sum(term in other for other in held.values())
            idf = np.log(1 + (len(held) - n + 0.5) / (n + 0.5))
            norm = 1.2 * (1 - 0.75 + 0.75 * len(tokens) / mean)
            score += idf * frequency * 2.2 / (frequency + norm)
        if score:
            expected[key] = score
    found = filled.view().fulltext([query], 9, None)()[0]
    assert {hit.id: hit.score for hit in found} == pytest.approx(expected, rel=1e-3)


def test_diversity_passes_over_a_copy(store: EvidenceStore) -> None:
    copy = TEXTS["fees.md"].replace("families", "households")
    store.upsert(piece(t, s) for s, t in {**TEXTS, "copy.md": copy}.items())
    query = "museum entry fees keep poor families away"
    assert set(sources(store, query, 2)) == {"fees.md", "copy.md"}
    diverse = sources(store, query, 2, mmr=0.5)
    assert diverse[0] == "fees.md"
    assert diverse[1] != "copy.md"
    assert sources(store, query, 6, mmr=1.0) == sources(store, query, 6)


def test_more_candidates_than_wanted_are_ranked(filled: EvidenceStore) -> None:
    deep = filled.search(["museum fees"], 1, depth=5, mmr=0.9)
    assert [passage.source for passage in deep[0]] == ["fees.md"]
    with pytest.raises(InputError, match="depth=0"):
        filled.search(["museum"], depth=0)
    with pytest.raises(InputError, match=r"mmr=1\.5"):
        filled.search(["museum"], mmr=1.5)


def test_every_option_is_part_of_the_identity(filled: EvidenceStore) -> None:
    plain = StoreRetriever(filled).identity()
    options: list[dict[str, object]] = [
        {"mode": "dense"}, {"fusion": "rank"}, {"depth": 20}, {"mmr": 0.5},
        {"filters": {"lang": "en"}}, {"filters": {"lang": ["en", "de"]}},
    ]  # fmt: skip
    others = [StoreRetriever(filled, **each).identity() for each in options]  # type: ignore[arg-type]
    assert all(other != plain for other in others)
    assert len({str(other) for other in others}) == len(options)
    assert StoreRetriever(filled, depth=50).identity() == plain


def test_what_is_known_of_a_document_is_part_of_the_identity(store: EvidenceStore) -> None:
    store.upsert([piece("Free entry.", "a.md", date="2023")])
    before = StoreRetriever(store).identity()
    store.upsert([piece("Free entry.", "a.md", date="2024")])
    after = StoreRetriever(store).identity()
    assert (after["digest"], after["embedder"]) == (before["digest"], before["embedder"])
    assert after != before


def test_an_index_of_another_layout_is_refused(
    filled: EvidenceStore, embedder: MiniLM, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("modules.retrieval.rows.LAYOUT", "next")
    again = EvidenceStore(filled.database.path, embedder)
    for use in (again.count, lambda: again.upsert([piece("x")])):
        with pytest.raises(EvidenceError, match="another version of Moot"):
            use()


def test_fusion_by_rank_and_by_score() -> None:
    near = [Hit("a", 0.9), Hit("b", 0.5), Hit("c", 0.1)]
    words = [Hit("c", 8.0), Hit("b", 4.0)]
    fused = by_score(near, words)
    assert [hit.id for hit in fused] == ["a", "b", "c"]
    assert [hit.score for hit in fused] == pytest.approx([0.8, 0.4 + 0.1, 0.2])
    ranked = by_rank([near, words])
    assert [hit.id for hit in ranked] == ["c", "b", "a"]
    assert ranked[0].score == pytest.approx(1 / 63 + 1 / 61)
    assert by_score(near, []) == by_score(near, [Hit("z", 1.0)])
    assert by_score([], []) == []


def test_a_retriever_from_the_command_line(
    store: EvidenceStore, tmp_path: Path, embedder: MiniLM
) -> None:
    from flows.config import EssayConfig, typed
    from tests.support import composed

    store.upsert([piece("Entry is free.", "a.md", lang="en", date="2023-05")])
    store.upsert([piece("Entry is dear.", "b.md", lang="de", date="2024")])
    store.upsert([piece("Entry is late.", "c.md", lang="fr")])

    def found(*overrides: str) -> set[str]:
        plain = composed("essay", "subject=x", f"paths.artifacts={tmp_path}", *overrides)
        retriever = typed(EssayConfig, plain).retriever.open(tmp_path / "index", embedder)
        return {passage.source for passage in retriever.search(["entry"], 3)[0]}

    assert found() == {"a.md", "b.md", "c.md"}
    assert found("retriever.filters.lang=en") == {"a.md"}
    assert found("retriever.filters.lang=[en,de]", "retriever.mmr=0.5") == {"a.md", "b.md"}
    assert found("retriever.filters.date_from=2024", "retriever=dense") == {"b.md"}
    assert found("retriever.filters.date_to=2023", "retriever=fulltext") == {"a.md"}
    for bad in ("retriever.mmr=2", "retriever.depth=0", "retriever.filters.date_from=May"):
        with pytest.raises(ConfigError):
            found(bad)
