"""The stance model, its ranking, and the retriever that goes by it."""

from __future__ import annotations

import json
from collections.abc import Sequence
from pathlib import Path

import numpy as np
import pytest

from modules.evidence import PlanEvidence
from modules.retrieval import MiniLM
from modules.retrieval.aiming import Aim, aimed, asked_side
from modules.retrieval.exhaustive import Asked, Encodings
from modules.stance import StanceModel, stance_model
from modules.stance.network import logits
from modules.stance.passages import leanings, standard
from modules.stance.ranking import Pool, covering, stance_ranker
from modules.stance.retriever import ByStance, StanceRetriever, by_side
from modules.stance.weights import SHIPPED, Platt, load
from signatures.errors import BackendError
from signatures.types import Passage, Plan, PlanPoint

CLAIM = "We should make all museums free of charge"
FOR = "Entrance fees keep poor families away from museums, and free admission would let them in."
AGAINST = "Free admission would be a mistake: museums would lose money and have to close."
BESIDE = "Octopuses have three hearts and blue blood."


@pytest.fixture(scope="module")
def embedder() -> MiniLM:
    return MiniLM()


@pytest.fixture(scope="module")
def model(embedder: MiniLM) -> StanceModel:
    return stance_model(embedder)


def test_sides_are_read_and_what_is_beside_the_claim_is_unclear(model: StanceModel) -> None:
    found = model.read([(CLAIM, text) for text in (FOR, AGAINST, BESIDE)])
    assert all(abs(o.support + o.oppose + o.unclear - 1) < 1e-9 for o in found)
    assert found[0].polarity > 0.1 > -0.1 > found[1].polarity
    assert found[2].unclear > 0.9 > found[0].unclear


def test_a_reading_does_not_depend_on_the_others(model: StanceModel) -> None:
    pairs = [(CLAIM, FOR), (CLAIM, AGAINST), ("Octopuses are clever", BESIDE)]
    alone = [model.read([pair])[0].polarity for pair in pairs]
    assert [odds.polarity for odds in model.read(pairs)] == pytest.approx(alone, abs=1e-5)
    assert model.read([]) == []


def test_the_networks_are_those_that_were_trained() -> None:
    import torch

    _, weights = load()
    rng = np.random.default_rng(0)
    claims, texts = ((rng.normal(size=(5, 384)) / 20).astype(np.float32) for _ in range(2))
    rows = torch.from_numpy(
        np.concatenate([4 * claims, 4 * texts, 20 * claims * texts, 4 * (claims - texts)], axis=1)
    )
    expected = []
    for seed in ("0", "1", "2"):
        held = {k: torch.from_numpy(v) for k, v in weights.items() if k.startswith(seed + ".")}
        hidden = torch.relu(rows @ held[f"{seed}.hidden.weight"].T + held[f"{seed}.hidden.bias"])
        expected.append(hidden @ held[f"{seed}.out.weight"].T + held[f"{seed}.out.bias"])
    assert len(weights) == 12
    mean = torch.stack(expected).mean(0)[:, 0].numpy()
    assert logits(weights, claims, texts) == pytest.approx(mean, abs=1e-4)


def test_what_is_shipped_is_small_and_has_its_card() -> None:
    assert (SHIPPED / "stance.safetensors").stat().st_size <= 4_000_000
    card = json.loads((SHIPPED / "card.json").read_text("utf-8"))
    assert {"licences", "seeds", "leak filter", "dev"} <= card.keys()


def test_missing_or_foreign_weights_are_refused(tmp_path: Path, embedder: MiniLM) -> None:
    with pytest.raises(BackendError, match="cannot be read"):
        StanceModel(embedder, tmp_path).read([(CLAIM, FOR)])
    card = json.loads((SHIPPED / "card.json").read_text("utf-8"))
    (tmp_path / "card.json").write_text(json.dumps(card | {"base": "0" * 64}), "utf-8")
    weights = (SHIPPED / "stance.safetensors").read_bytes()
    (tmp_path / "stance.safetensors").write_bytes(weights)
    with pytest.raises(BackendError, match="another embedder"):
        StanceModel(embedder, tmp_path).read([(CLAIM, FOR)])


def test_a_point_is_taken_once_but_copies_are_two_points() -> None:
    chances = np.array([0.9, 0.8, 0.7, 0.3])
    cosines = np.eye(4)
    cosines[0, 1] = cosines[1, 0] = 0.99
    steep = Platt(slope=100.0, shift=-90.0)  # 0.99: one point, 0: two
    apart, copied = np.eye(4, dtype=bool), np.eye(4, dtype=bool)
    copied[0, 1] = copied[1, 0] = True
    assert covering(chances, cosines, apart, steep, 3) == [0, 2, 3]
    assert covering(chances, cosines, copied, steep, 9) == [0, 1, 2, 3]


def test_the_ranker_puts_the_asked_side_before_the_other(
    embedder: MiniLM, model: StanceModel
) -> None:
    ranker = stance_ranker(embedder, model)
    pool = ranker.pool([BESIDE, FOR, AGAINST])
    best = ranker.sides(CLAIM, (1, -1), pool, 3)
    assert all(sorted(own) == [0, 1, 2] for own in best)
    assert best[0].index(1) < best[0].index(2)
    assert best[1].index(2) < best[1].index(1)
    assert ranker.rank(CLAIM, 1, Pool([], np.zeros((0, 384), np.float32)), 3) == []


@pytest.mark.parametrize(
    ("perspective", "side"),
    [
        ("a claim that supports the argument", 1),
        ("a claim that opposes the argument", -1),
        ("a claim that relates to the argument", 0),
        ("a news article that happened in Nepal", None),
        ("a news article relates to relief efforts", None),
    ],
)
def test_a_perspective_names_its_side(perspective: str, side: int | None) -> None:
    assert asked_side(perspective) == side


def passage(text: str, similarity: float | None) -> Passage:
    return Passage(id=text, text=text, source="s", title="", similarity=similarity)


def test_stance_counts_beside_similarity() -> None:
    pool = [passage("a", 0.7), passage("b", 0.6), passage("c", None)]
    assert by_side(pool, np.array([-0.9, 0.9, 0.9]), 0.0) == [0, 1, 2]
    assert by_side(pool, np.array([-0.9, 0.9, 0.1]), 2.0)[0] == 1
    assert by_side([], np.zeros(0), 1.0) == []


class Fixed:
    """Finds the same passages for every query; the wrong side is the nearer."""

    def search(self, queries: Sequence[str], k: int) -> list[list[Passage]]:
        return [[passage(AGAINST, 0.7), passage(FOR, 0.65), passage(BESIDE, 0.3)][:k]] * len(
            queries
        )

    def identity(self) -> dict[str, str]:
        return {"retriever": "fixed"}


def test_claims_are_searched_by_side_and_subjects_are_not(model: StanceModel) -> None:
    retriever = StanceRetriever(Fixed(), model, candidates=3, weight=2.0)
    assert retriever.search([CLAIM], 1)[0][0].text == AGAINST
    claims = (
        "Free admission lets poor families in",
        "We should not make all museums free of charge",
    )
    found = retriever.search_aims([aimed(CLAIM, claim) for claim in claims], 1)
    assert [own[0].text for own in found] == [FOR, AGAINST]
    known = retriever.search_aims([aimed(CLAIM, "Museums matter", side) for side in (1, 0, -1)], 1)
    assert [own[0].text for own in known] == [FOR, AGAINST, AGAINST]  # 0: the nearest
    assert retriever.search_aims([], 1) == []
    assert retriever.identity()["model"] == model.name
    plan = Plan(acknowledgment="It costs.", points=[PlanPoint(point=claims[0], subpoints=[])])
    evidence = PlanEvidence(retriever, k=1)
    for goal, texts in (("support", [AGAINST, FOR]), ("refute", [FOR, AGAINST])):
        support = evidence.forward(plan=plan, subject=CLAIM, goal=goal)  # type: ignore[arg-type]  # a loop widens it
        assert [part.passages[0].text for part in support] == texts


def test_passages_of_one_document_are_read_together(model: StanceModel) -> None:
    mute = "The building has three floors and a garden."
    texts = {"a": (FOR, mute), "b": (AGAINST, mute + " It is old.")}
    pool = [
        Passage(id=text, text=text, source=source, title="")
        for source, own in texts.items()
        for text in own
    ]
    found, about = leanings(model, CLAIM, pool)
    assert min(found[:2]) > 0 > max(found[2:])
    assert about.min() > 0.5
    assert leanings(model, CLAIM, []).sides.shape == (0,)
    one = [p.model_copy(update={"source": "a"}) for p in pool]
    told = leanings(model, CLAIM, one).sides  # of one document, by what each says itself
    assert told[0] > told[2]
    beside = leanings(
        model, CLAIM, [*pool, passage(BESIDE, 0.9).model_copy(update={"source": "c"})]
    )
    assert beside.about[-1] < 0.05
    assert beside.towards(1.0).argmin() == beside.towards(-1.0).argmin() == 4
    assert not beside.towards(0.0).any()
    assert standard(np.array([2.0, 0.0, 2.0, 0.0])).tolist() == [1, -1, 1, -1]
    assert standard(np.ones(3)).tolist() == [0, 0, 0]


def test_a_task_that_is_not_about_sides_is_ranked_by_similarity(embedder: MiniLM) -> None:
    ranker = ByStance([AGAINST, FOR, BESIDE], Encodings(embedder))
    said = "a news article that happened in Peru"
    asked = Asked((f"Find {said}: {CLAIM}",), (CLAIM,), (said,))
    for operation, text in (("none", asked.queries[0]), ("root", CLAIM)):
        rows = embedder.encode([text, AGAINST, FOR, BESIDE])
        found = ranker.scores(asked, operation, 1.0)[0]  # type: ignore[arg-type]  # a loop widens it
        assert found == pytest.approx(rows[1:] @ rows[0], abs=1e-5)
    sided = asked._replace(perspectives=("a claim that supports the argument",))
    assert ranker.scores(sided, "root", 1.0).max() > 1 > ranker.scores(asked, "root", 1.0).max()


def test_what_is_searched_is_the_claim_or_the_query() -> None:
    assert aimed("museums", "fees are fair").text == "fees are fair"
    assert Aim("who pays for museums", "museums", "fees are fair").text == "who pays for museums"
