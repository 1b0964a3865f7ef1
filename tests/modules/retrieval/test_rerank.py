"""Re-ranking with a cross-encoder made on the spot: random weights, a handful of words."""

from pathlib import Path

import numpy as np
import pytest

from modules.retrieval import EvidenceStore, MiniLM
from modules.retrieval.chunk import chunk_id
from modules.retrieval.rerank import CrossEncoderReranker
from modules.retrieval.specs import RerankSpec, StoreRetriever
from modules.retrieval.types import Chunk, Origin
from signatures.errors import BackendError

TEXTS = ["museum fees deter the poor", "the poor visit museums", "votes are counted by machine"]


def made(folder: Path, labels: int = 1) -> Path:
    """A one-layer model over a small vocabulary."""
    import torch
    from transformers import BertConfig, BertForSequenceClassification, BertTokenizer

    words = sorted({word for text in TEXTS for word in text.split()})
    folder.mkdir()
    vocabulary = ["[PAD]", "[UNK]", "[CLS]", "[SEP]", "[MASK]", *words]
    numbered = {word: number for number, word in enumerate(vocabulary)}
    torch.manual_seed(0)
    config = BertConfig(
        vocab_size=len(vocabulary), hidden_size=16, num_hidden_layers=1, num_attention_heads=2,
        intermediate_size=16, max_position_embeddings=64, num_labels=labels,
        initializer_range=1.0,
    )  # fmt: skip
    BertForSequenceClassification(config).save_pretrained(folder)
    BertTokenizer(vocab=numbered, model_max_length=64).save_pretrained(folder)
    return folder


@pytest.fixture(scope="module")
def model(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return made(tmp_path_factory.mktemp("models") / "ranker")


def test_its_scores_order_the_candidates(tmp_path: Path, model: Path, embedder: MiniLM) -> None:
    store = EvidenceStore(tmp_path / "index", embedder)
    store.upsert(
        Chunk(chunk_id(text), text, Origin(f"{n}.md"), "", 0, "doc") for n, text in enumerate(TEXTS)
    )
    reranker = CrossEncoderReranker(str(model))
    scores = reranker.scores("poor museums", TEXTS)
    assert len(set(scores.round(6))) == len(TEXTS)
    found = store.search(["poor museums"], 3, reranker=reranker)[0]
    assert [passage.text for passage in found] == [TEXTS[i] for i in np.argsort(-scores)]
    assert [p.text for p in store.search(["poor museums"], 1, reranker=reranker)[0]] == [
        TEXTS[int(np.argmax(scores))]
    ]
    spec = RerankSpec(model=str(model)).open()
    plain, ranked = StoreRetriever(store), StoreRetriever(store, reranker=spec)
    assert ranked.search(["poor museums"], 3)[0] == found
    assert ranked.identity() == {**plain.identity(), "reranker": str(model)}


def test_no_texts_no_scores_no_model() -> None:
    assert CrossEncoderReranker("nowhere").scores("x", []).shape == (0,)
    assert RerankSpec().open() is None


def test_a_model_that_is_not_there(tmp_path: Path) -> None:
    with pytest.raises(BackendError, match="cannot be loaded"):
        CrossEncoderReranker(str(tmp_path / "nothing")).scores("x", ["y"])


def test_a_model_that_does_not_rank(tmp_path: Path) -> None:
    with pytest.raises(BackendError, match="expected a cross-encoder with one output; got 3"):
        CrossEncoderReranker(str(made(tmp_path / "three", labels=3))).scores("x", ["y"])
