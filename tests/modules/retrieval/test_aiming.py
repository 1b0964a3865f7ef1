"""Searches with a perspective: in the store as by the plain formula, and only where asked for."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from modules.retrieval import EvidenceStore
from modules.retrieval.aiming import Aim, Steering, aimed, search_aims, steered, steers, vectors_of
from modules.retrieval.operations import OPERATIONS, aspects, scores
from modules.retrieval.projections import nearest, project
from modules.retrieval.remember import RememberingRetriever
from modules.retrieval.specs import StoreRetriever
from tests.modules.retrieval.test_store import TEXTS, piece

AIM = Aim("museums and their income", "museums", "fees keep the poor away")


@pytest.fixture
def filled(store: EvidenceStore) -> EvidenceStore:
    store.upsert(piece(text, source) for source, text in TEXTS.items())
    return store


@pytest.mark.parametrize("operation", [o for o in OPERATIONS if o != "none"])
def test_the_store_ranks_by_the_formula(filled: EvidenceStore, operation: Any) -> None:
    retriever = StoreRetriever(filled, "dense", steering=Steering(operation, 0.7))
    found = [p.text for p in retriever.search_aims([AIM], 5)[0]]
    texts = list(TEXTS.values())
    rows = filled.embedder.encode([*AIM.texts, *texts])
    expected = scores(operation, aspects(rows[:1], rows[1:2], rows[2:3]), rows[3:], 0.7)[0]
    assert found == [texts[at] for at in np.argsort(-expected)]


def test_both_halves_of_hybrid_take_part(filled: EvidenceStore) -> None:
    retriever = StoreRetriever(filled, "hybrid", steering=Steering("pap_plus"))
    found = retriever.search_aims([AIM, AIM], 3)
    assert found[0] == found[1] and len(found[0]) == 3
    assert {p.source for p in found[0]} >= {"fees.md", "budget.md"}


def test_without_an_operation_a_perspective_is_searched_as_ever(filled: EvidenceStore) -> None:
    retriever = StoreRetriever(filled, "dense")
    assert not steers(retriever)
    claim = aimed(AIM.root, AIM.perspective)
    assert search_aims(retriever, [AIM, claim], 2) == retriever.search(
        [AIM.query, AIM.perspective], 2
    )
    assert (
        retriever.identity() != StoreRetriever(filled, "dense", steering=Steering("pap")).identity()
    )


def test_a_retriever_that_remembers_tells_perspectives_apart(filled: EvidenceStore) -> None:
    inner = StoreRetriever(filled, "dense", steering=Steering("add"))
    kept = RememberingRetriever(inner)
    other = AIM._replace(perspective="paper ballots and recounts")
    assert steers(kept)
    assert kept.search_aims([AIM], 5) == inner.search_aims([AIM], 5)
    assert kept.search_aims([other], 5) == inner.search_aims([other], 5)
    assert kept.search_aims([AIM], 5) != kept.search_aims([other], 5)


def test_a_query_with_nothing_left_is_searched_as_it_is(filled: EvidenceStore) -> None:
    same = Aim("fees", "museums", "fees")
    at = vectors_of(filled.embedder, [same])
    assert np.allclose(steered(at, Steering("pap")), at.queries, atol=1e-6)
    assert aimed("museums", "fees") == Aim("museums fees", "museums", "fees")


def test_known_perspectives_have_columns_of_their_own(filled: EvidenceStore) -> None:
    retriever = StoreRetriever(filled, "dense", steering=Steering("pap_plus"))
    expected = retriever.search_aims([AIM], 3)
    project(filled, [AIM.perspective, "another one"])
    unknown = AIM._replace(perspective="paper ballots")
    kept = retriever.search_aims([AIM, unknown], 3)
    assert kept[0] == expected[0]  # exact either way in an index of five

    # The column answers: without it, a search of one candidate could not find the best of all.
    narrow = nearest(filled.view(), [AIM.perspective], _projected(filled), 1)
    assert narrow[0] is not None and len(narrow[0]) == 1
    whole = filled.view().chunks([narrow[0][0].id])
    assert whole[narrow[0][0].id].fields["text"] == expected[0][0].text

    filled.upsert([piece("Museums cost money to run.", "cost.md")])
    assert nearest(filled.view(), [AIM.perspective], _projected(filled), 1) == [None]


def _projected(store: EvidenceStore) -> Any:
    return steered(vectors_of(store.embedder, [AIM]), Steering("pap_plus"))
