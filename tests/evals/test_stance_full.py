"""The full stance model: a cross-encoder trained for a step or two, kept, loaded, and ranked by."""

from __future__ import annotations

import csv
import json
import shutil
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import torch
from safetensors.torch import load_file, save_file

from evals.stance import cross_fit
from evals.stance.corpora import Sided
from evals.stance.full import train_full
from evals.stance.neighbours import Beside
from modules.retrieval import MiniLM
from modules.retrieval.exhaustive import Asked, Encodings
from modules.retrieval.minilm import tokenizer, verified
from modules.stance import StanceModel
from modules.stance.cross import CrossEncoders, Pairs, about, pretrained, save
from modules.stance.ranking import stance_ranker
from modules.stance.retriever import StanceRetrieverSpec
from signatures.errors import BackendError

TOPICS = {
    "Zoos should be closed": (
        "Cages make animals suffer.", "Animals suffer in cages.", "Visitors learn nothing there.",
        "Zoos save rare species.",
    ),
    "Homework should be abolished": (
        "It steals time to play.", "Children lose the time they would play in.",
        "Parents end up doing it.", "Practice makes lessons stick.",
    ),
    "Cars should be banned from cities": (
        "Cars foul the air.", "The air is foul with exhaust.", "Streets would be safe.",
        "Shops need their customers.",
    ),
    "Voting should be a duty": (
        "All would be heard.", "Everybody would have a say.", "Parties would court the poor.",
        "Freedom includes staying away.",
    ),
}  # fmt: skip
"""Claim -> one point for it in two wordings, another, and one against it."""
SPLITS = ("train", "train", "dev", "dev")


def written(folder: Path) -> Path:
    """Four claims, a debate and two key points, in the files of the data."""
    own, points = folder / "perspectrum", folder / "argkp"
    own.mkdir(parents=True)
    points.mkdir()
    texts = [text for own in TOPICS.values() for text in own]
    pool = [{"pId": at, "text": text} for at, text in enumerate(texts)]
    claims = [
        {
            "cId": at,
            "text": claim,
            "perspectives": [
                {"pids": [4 * at, 4 * at + 1], "stance_label_3": "SUPPORT"},
                {"pids": [4 * at + 2], "stance_label_3": "SUPPORT"},
                {"pids": [4 * at + 3], "stance_label_3": "UNDERMINE"},
            ],
        }
        for at, claim in enumerate(TOPICS)
    ]
    held = {
        "perspective_pool_v1.0.json": pool,
        "perspectrum_with_answers_v1.0.json": claims,
        "dataset_split_v1.0.json": {str(at): split for at, split in enumerate(SPLITS)},
    }
    for name, value in held.items():
        (own / name).write_text(json.dumps(value), "utf-8")
    debate = {"claim": "Meat should be taxed", "perspective": "Cattle warm the planet.",
              "text": "Cattle warm the planet, and a tax would tell.", "stance": "for"}  # fmt: skip
    (own / "evidence_corpus_debatewise_procon.jsonl").write_text(json.dumps(debate), "utf-8")
    for name, field in (("arguments_train", "argument"), ("key_points_train", "key_point")):
        with (points / f"{name}.csv").open("w", encoding="utf-8", newline="") as file:
            rows = csv.writer(file)
            rows.writerow(["topic", field, "stance"])
            rows.writerow(["We should ban gambling", "Gambling ruins families.", -1])
    return folder


@pytest.fixture(scope="module")
def embedder() -> MiniLM:
    return MiniLM()


@pytest.fixture(scope="module")
def trained(tmp_path_factory: pytest.TempPathFactory, embedder: MiniLM) -> Path:
    """The folder of a model with one cross-encoder, trained on the tiny data."""
    folder = tmp_path_factory.mktemp("stance")
    train_full(
        written(folder / "data"), folder / "full", embedder, [3], epochs=1, say=lambda _: None
    )
    return folder / "full"


def test_what_was_trained_is_kept_with_its_card_and_not_trained_again(
    trained: Path, embedder: MiniLM
) -> None:
    card = json.loads((trained / "card.json").read_text("utf-8"))
    assert card["seeds"] == [3]
    assert list(card["cross"]) == ["cross-3.safetensors"]
    assert (
        card["training pairs"]["with texts beside them"] == 11
    )  # 8 of train, 1 of a debate, 2 of key points
    before = (trained / "cross-3.safetensors").stat().st_mtime_ns
    said: list[str] = []
    train_full(trained.parent / "data", trained, embedder, [3], epochs=1, say=said.append)
    assert said[0].endswith("cross-3.safetensors: is there")
    assert (trained / "cross-3.safetensors").stat().st_mtime_ns == before
    assert json.loads((trained / "card.json").read_text("utf-8")) == card


def test_a_step_moves_what_is_kept_and_nothing_else(tmp_path: Path) -> None:
    claim, (first, _, _, second) = next(iter(TOPICS.items()))
    beside = [Beside(claim, (Sided(claim, first, 1), Sided(claim, second, -1)), ("Cars pollute.",))]
    torch.manual_seed(0)
    model = pretrained()
    base = {name: value.clone() for name, value in model.named_parameters()}
    pairs = Pairs(tokenizer(verified()))
    cross_fit.fit(model, pairs, beside, [Sided("We should ban cars", "Cars pollute.", 1)],
                  seed=0, epochs=2)  # fmt: skip
    moved = {n for n, value in model.named_parameters() if not torch.equal(value, base[n])}
    assert moved
    assert moved <= set(model.trained())
    assert not any("embeddings" in name or "layer.1." in name for name in moved)
    save(model, tmp_path / "a.safetensors", {"seed": "0"})
    asked = [(claim, first), (claim, second * 3), ("Octopuses are clever", first)]
    with torch.inference_mode():
        expected = model(Pairs.tensors(pairs.encoded(asked))).numpy()
    kept = CrossEncoders([tmp_path / "a.safetensors"] * 2)
    assert kept.logits(asked) == pytest.approx(np.stack([expected] * 2), abs=0.02)  # float16
    alone = np.concatenate([kept.logits([pair]) for pair in asked], axis=1)
    assert kept.logits(asked) == pytest.approx(alone, abs=1e-4)


def test_the_model_ranks_by_what_it_reads(trained: Path, embedder: MiniLM) -> None:
    model = StanceModel(embedder, trained)
    claim, (first, _, _, second) = next(iter(TOPICS.items()))
    read = model.readings([(claim, first), (claim, second)])
    assert np.all(read.cross != 0)
    assert np.all(read.relevance != 0)
    assert all(np.all(each == 0) for each in StanceModel(embedder).readings([(claim, first)])[3:])
    assert sum(model.read([(claim, first)])[0].model_dump().values()) == pytest.approx(1)
    ranker = stance_ranker(embedder, model, trained)
    pool = ranker.pool([first, second, "Octopuses have three hearts."])
    assert sorted(ranker.rank(claim, 1, pool, 3)) == [0, 1, 2]
    spec = StanceRetrieverSpec(model=trained)
    asked = Asked((claim,), (claim,), ("a claim that opposes the argument",))
    scores = spec.exhaustive(pool.texts, Encodings(embedder)).scores(asked, "none", 1.0)
    assert list(np.argsort(-scores[0])) == ranker.rank(claim, -1, pool, 3)


def test_absent_spoilt_and_foreign_weights_are_refused(
    trained: Path, embedder: MiniLM, tmp_path: Path
) -> None:
    pair = [("Zoos should be closed", "Cages make animals suffer.")]

    def refused(folder: Path, match: str, **changes: Any) -> None:
        card = json.loads((trained / "card.json").read_text("utf-8"))
        (folder / "card.json").write_text(json.dumps(card | changes), "utf-8")
        with pytest.raises(BackendError, match=match) as raised:
            StanceModel(embedder, folder).readings(pair)
        assert "\n" not in str(raised.value)
        assert "--full" in str(raised.value) or "evals.stance.train" in str(raised.value)

    for opened in (
        lambda: StanceModel(embedder, tmp_path / "nowhere").readings(pair),
        lambda: StanceRetrieverSpec(model=tmp_path).exhaustive([], Encodings(embedder)),
    ):
        with pytest.raises(BackendError, match=r"weights cannot be read.*--full"):
            opened()
    whole = tmp_path / "whole"
    shutil.copytree(trained, whole)
    refused(whole, "belong to another embedder", base="0" * 64)
    (whole / "ranker.json").unlink()
    with pytest.raises(BackendError, match=r"ranker cannot be read.*--full"):
        stance_ranker(embedder, StanceModel(embedder, trained), whole)
    path = whole / "cross-3.safetensors"
    told = about(path)
    # Copies: what is loaded may still be read from the file, which is about to be cut short.
    parts = {name: value.clone() for name, value in load_file(path).items()}
    path.write_bytes(path.read_bytes()[:1000])
    refused(whole, "not the cross-encoder that its card tells of")
    path.unlink()
    refused(whole, "no file")
    (whole / "card.json").write_text("{", "utf-8")
    with pytest.raises(BackendError, match="card cannot be read"):
        StanceModel(embedder, whole).readings(pair)
    save_file(parts, path, told | {"base": "0" * 64})
    with pytest.raises(BackendError, match="belongs to another base"):
        CrossEncoders([path])
    path.write_bytes(b"no tensors")
    with pytest.raises(BackendError, match="cannot be read"):
        CrossEncoders([path])
