"""Chunks: sections, sizes, sentence borders, overlap, identity."""

import pytest

from modules.retrieval import MiniLM
from modules.retrieval.chunk import Limits, chunk, chunk_id, pieces
from modules.retrieval.types import Block, Chunk, Document, Origin


def cut(embedder: MiniLM, *blocks: Block, limits: Limits = Limits()) -> list[Chunk]:  # noqa: B008
    document = Document(Origin("a.md", title="A"), blocks, "hash")
    return chunk(document, embedder.token_count, embedder.window, limits)


def numbered(count: int, word: str = "museums") -> str:
    return " ".join(f"Sentence {n} says that {word} matter to people." for n in range(count))


def test_chunks_end_at_sentences_and_overlap(embedder: MiniLM) -> None:
    chunks = cut(embedder, Block(numbered(60)))
    assert len(chunks) > 2
    assert all(piece.text.endswith("people.") for piece in chunks)
    assert max(embedder.token_count([piece.text for piece in chunks])) <= 182
    last = chunks[0].text.rsplit("Sentence ", 1)[1]
    assert last in chunks[1].text
    assert [piece.position for piece in chunks] == list(range(len(chunks)))


def test_a_section_starts_a_chunk_unless_the_last_is_short(embedder: MiniLM) -> None:
    long, other, short = numbered(8), numbered(8, "schools"), "Just this."
    apart = cut(embedder, Block(long, "One"), Block(other, "Two"))
    assert [(piece.section, piece.text) for piece in apart] == [("One", long), ("Two", other)]
    joined = cut(embedder, Block(short, "One"), Block(short + " Now.", "Two"))
    assert [(c.section, c.text) for c in joined] == [("One", "Just this.\n\nJust this. Now.")]


@pytest.mark.parametrize(
    "text",
    [
        "word " * 3000,
        "x" * 20_000,
        "日本語" * 2000,
        "(" * 5000,
        "a-b/c_d " * 900,
        "\U0001f600" * 3000,
        "\u0e01\u0e32\u0e23" * 2000,
    ],
)
def test_no_chunk_exceeds_the_window(embedder: MiniLM, text: str) -> None:
    chunks = cut(embedder, Block(text.strip()))
    assert max(embedder.token_count([piece.text for piece in chunks])) <= embedder.window


def test_nothing_is_lost_where_text_is_cut(embedder: MiniLM) -> None:
    text = " ".join(f"word{n}" for n in range(2000))
    parts = pieces(text, 50, embedder.token_count)
    assert " ".join(parts) == text
    assert max(embedder.token_count(parts)) <= 52


def test_a_counter_that_does_not_add_up_is_obeyed() -> None:
    def squares(texts: object) -> list[int]:
        return [len(str(text).split()) ** 2 // 10 for text in list(texts)]  # type: ignore[call-overload]

    document = Document(Origin("a"), (Block(numbered(40)),), "hash")
    assert max(squares([piece.text for piece in chunk(document, squares, 60)])) <= 60


def test_identity_is_the_normalised_text(embedder: MiniLM) -> None:
    assert chunk_id("Free  museums\n") == chunk_id("Free museums")
    assert len(chunk_id("x")) == 20
    same = "The very same paragraph stands here twice, word for word, and once more below."
    blocks = [Block(same, section) for section in "abc"]
    chunks = cut(embedder, *blocks, limits=Limits(minimum=5))
    assert [piece.position for piece in chunks] == [0]
    assert cut(embedder, Block(numbered(50))) == cut(embedder, Block(numbered(50)))
