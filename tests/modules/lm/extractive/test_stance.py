"""Sides of plain declarative sentences, and denials of propositions."""

from __future__ import annotations

import pytest

from modules.lm.extractive.stance import StanceReader, negate

MUSEUMS = "We should make all museums free of charge"
BAGS = "We should ban plastic bags"
AGE = "No one over the age of 80 should be allowed to serve in government"
VOTE = "Voting should be compulsory"
ZOOS = "Zoos are harmful to animals"


@pytest.mark.parametrize(
    ("proposition", "sentence"),
    [
        (MUSEUMS, "Entrance fees keep low-income families away from museums."),
        (MUSEUMS, "Removing charges widened access to museums."),
        (MUSEUMS, "Although free entry costs money, it brings wide social benefits."),
        (MUSEUMS, "Critics say free entry is expensive, yet it pays for itself."),
        (BAGS, "Plastic bags kill marine animals and pollute rivers."),
        (BAGS, "Plastic bags should be outlawed."),
        (BAGS, "Banning bags reduces litter and protects wildlife."),
        (AGE, "An age limit would protect the public from declining leaders."),
        (AGE, "Ageing leaders are a risk to the public."),
        (VOTE, "Compulsory voting makes parliaments more representative."),
        (ZOOS, "Animals in zoos suffer from stress and boredom."),
    ],
)
def test_supports(proposition: str, sentence: str) -> None:
    assert StanceReader(proposition).score(sentence) > 0.05


@pytest.mark.parametrize(
    ("proposition", "sentence"),
    [
        (MUSEUMS, "Free admission would leave museums dependent on shrinking public budgets."),
        (MUSEUMS, "Entrance fees protect the independence of museums."),
        (MUSEUMS, "Supporters claim free entry widens access, but it mainly benefits the wealthy."),
        (BAGS, "A ban would hurt small shops and low-income shoppers."),
        (BAGS, "Plastic bags do not harm wildlife."),
        (BAGS, "Plastic bags should not be banned."),
        (AGE, "Older leaders bring experience and wisdom."),
        (VOTE, "Nobody should be forced to vote."),
        (VOTE, "Citizens have a right to choose not to vote."),
        (ZOOS, "Zoos protect endangered species from extinction."),
    ],
)
def test_opposes(proposition: str, sentence: str) -> None:
    assert StanceReader(proposition).score(sentence) < -0.05


def test_a_proposition_and_its_ban_take_opposite_sides_of_one_sentence() -> None:
    sentence = "Homework causes stress and damages family life."
    assert StanceReader("Homework should be banned").score(sentence) > 0
    assert StanceReader("Homework should be encouraged").score(sentence) < 0


def test_an_answered_concession_weighs_less_than_the_point_made() -> None:
    reader = StanceReader(BAGS)
    plain = reader.score("Plastic bags are harmful.")
    assert reader.score("Plastic bags are cheap, but they are harmful.") > 0
    assert reader.score("Plastic bags are harmful, but they are cheap.") < plain


def test_without_cues_the_side_is_unclear() -> None:
    reader = StanceReader(MUSEUMS)
    assert reader.score("") == 0
    assert reader.score("The building stands beside the river.") == 0


def test_scores_are_bounded_and_do_not_depend_on_each_other() -> None:
    reader = StanceReader(MUSEUMS)
    texts = ["Free museums are good. " * 20, "Fees are unfair. Fees are fair.", ""]
    scores = reader.scores(texts)
    assert scores == [reader.score(text) for text in texts]
    assert all(-1 <= score <= 1 for score in scores)


def test_an_empty_proposition_is_read_without_error() -> None:
    assert -1 <= StanceReader("").score("Fees are unfair.") <= 1


@pytest.mark.parametrize(
    ("proposition", "denial"),
    [
        (MUSEUMS, "we should not make all museums free of charge"),
        (AGE, "people over the age of 80 should be allowed to serve in government"),
        ("Animal testing should be banned", "animal testing should not be banned"),
        ("Britain must leave.", "Britain must not leave"),
        ("States ought not possess nuclear weapons", "States ought to possess nuclear weapons"),
        ("Schools ought to open later", "Schools ought not to open later"),
        ("Lying can be justified", "lying cannot be justified"),
        ("You can\u2019t trust polls", "you can trust polls"),
        ("Religion is not necessary", "Religion is necessary"),
        ("All drugs should be decriminalised", "not all drugs should be decriminalised"),
        ("Ban plastic bags", "we should not ban plastic bags"),
        ("Aid hurts Africa", "it is not the case that Aid hurts Africa"),
        ("There is life on Mars", "it is not the case that there is life on Mars"),
        ("Only adults should vote", "it is not the case that only adults should vote"),
        ("Is golf a sport?", 'the answer to "Is golf a sport?" is no'),
    ],
)
def test_negate(proposition: str, denial: str) -> None:
    assert negate(proposition) == denial
