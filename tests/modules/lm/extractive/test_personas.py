"""CreatePersonas and SelectTeam: who is in the room."""

from __future__ import annotations

from typing import Any

import pytest

from modules.lm.extractive import answer
from modules.lm.extractive.people import SPEAKERS
from modules.lm.extractive.stakeholders import singular, stakeholders
from signatures.errors import EvidenceError


def ask(background: list[dict[str, Any]], **changes: Any) -> list[dict[str, Any]]:
    inputs = {
        "proposition": "We should make all museums free of charge",
        "minimum": 5,
        "maximum": 8,
        "sides": "both",
        "values": "any",
        "existing": [],
        "background": background,
    }
    personas: list[dict[str, Any]] = answer("CreatePersonas", {**inputs, **changes}, 0)["personas"]
    return personas


def test_the_pool_is_balanced_and_distinct(background: list[dict[str, Any]]) -> None:
    pool = ask(background)
    stances = [p["stance"] for p in pool]
    assert 5 <= len(pool) <= 8
    assert min(stances.count("for"), stances.count("against")) >= 2
    assert len({p["title"] for p in pool}) == len({p["claim"] for p in pool}) == len(pool)
    assert all(1 <= len(p["values"]) <= 3 and p["emoji"] for p in pool)


def test_claims_come_from_the_passages_and_stand_on_their_side(
    background: list[dict[str, Any]],
) -> None:
    texts = [p["text"] for p in background]
    for persona in ask(background):
        [place] = [i for i, text in enumerate(texts) if persona["claim"] in text]
        assert persona["stance"] == ("for" if place < 4 else "against")


@pytest.mark.parametrize("side", ["for", "against"])
def test_one_side_is_kept_to(background: list[dict[str, Any]], side: str) -> None:
    assert {p["stance"] for p in ask(background, sides=side)} == {side}


def test_existing_personas_are_not_repeated(background: list[dict[str, Any]]) -> None:
    first = ask(background, maximum=3)
    known = [{**{k: p[k] for k in ("title", "description", "claim")}, "id": "p"} for p in first]
    more = ask(background, existing=known)
    assert not {p["title"] for p in first} & {p["title"] for p in more}
    assert not {p["claim"] for p in first} & {p["claim"] for p in more}


def test_texts_without_stakeholders_get_titles_from_their_themes() -> None:
    texts = [
        "Free galleries improve education and bring great benefit to health and culture.",
        "Free museums protect heritage and strengthen democracy in a fair and open way.",
        "Free admission wastes money and damages museums through crowding and neglect.",
        "Free museums are an unfair burden on the budget and a risk to safety and security.",
    ]
    background = [{"number": i, "title": "", "text": t} for i, t in enumerate(texts, start=1)]
    assert len(ask(background, minimum=2)) >= 2


@pytest.mark.parametrize(
    "text",
    ["", "Pigs?", "The harvest was good and farmers sold much wheat at a fair price that year."],
)
def test_no_evidence_is_a_refusal(text: str) -> None:
    with pytest.raises(EvidenceError, match=r"can only rearrange evidence.*moot ingest"):
        ask([{"number": 1, "title": "T", "text": text}])


def test_stakeholders_are_named_by_the_texts() -> None:
    found = stakeholders(
        [
            "The museum directors fear for their income. Museum directors plan ahead.",
            "Low-income families pay twice. Strong candidates for reform are rare.",
        ]
    )
    titles = [s.title for s in found]
    assert "Museum director" in titles
    assert "Low-income parent" in titles
    assert not any("andidate" in title for title in titles)


@pytest.mark.parametrize(
    ("plural", "one"), [("families", "family"), ("coaches", "coach"), ("women", "woman")]
)
def test_singular(plural: str, one: str) -> None:
    assert singular(plural) == one


def test_organisations_are_spoken_for_by_people() -> None:
    assert all(who != organisation for organisation, who in SPEAKERS.items())


def test_the_team_is_as_large_as_asked_with_a_reason_each(each: Any) -> None:
    [choices] = each.outputs["SelectTeam"]
    reasons = [c["reason"] for c in choices["choices"]]
    assert len({c["id"] for c in choices["choices"]}) == len(reasons) == 3
    assert len(set(reasons)) == 3


def test_too_few_candidates_are_all_chosen() -> None:
    only = {"id": "p9", "title": "Nurse", "description": "", "claim": "Wards need more staff."}
    inputs = {"proposition": "P", "goal": "refute", "team_size": 3, "candidates": [only]}
    assert [c["id"] for c in answer("SelectTeam", inputs, 0)["choices"]] == ["p9"]
    with pytest.raises(EvidenceError):
        answer("SelectTeam", {**inputs, "candidates": []}, 0)
