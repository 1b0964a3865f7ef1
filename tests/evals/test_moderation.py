"""What ratings say of moderation: effects that were put in are found again."""

from __future__ import annotations

import random
from typing import Any

import numpy as np
import pytest

from evals.moderation import Figures, figures
from evals.moderation_plots import draw
from signatures.moderation import (
    Annotation,
    Conditions,
    Criterion,
    Discussion,
    DiscussionTurn,
)

CRITERIA = {"toxicity": Criterion(low=1, high=5, labels={1: "none"})}
RATERS = ("ann", "bob", "cid")


def discussion(topic: int, moderated: bool | None, turns: int = 4) -> Discussion:
    id_ = f"{topic}-{moderated}"
    rows = []
    for n in range(1, turns + 1):
        rows.append((f"t{2 * n - 1}", "user", "comment", "the same text"))
        rows.append((f"t{2 * n}", "moderator", "silence", ""))
    return Discussion(
        id=id_, context="c", actors=[], ended="rounds",
        turns=[
            DiscussionTurn(id=i, round=1, actor=str(r), role=r, action=a, text=t)  # type: ignore[arg-type]  # literals
            for i, r, a, t in rows
        ],
        conditions=Conditions(topic=str(topic), moderated=moderated, pair=str(topic), policy="p"),
    )  # fmt: skip


def study(effect: int, topics: int = 8, lost: float = 0.1) -> tuple[list[Any], list[Annotation]]:
    """Paired discussions whose moderated side is rated lower by ``effect``."""
    rng = random.Random(3)
    held = [discussion(t, m) for t in range(topics) for m in (True, False)]
    ratings = []
    for one in held:
        for turn in one.turns[::2]:
            for place, rater in enumerate(RATERS):
                base = 4 + rng.choice([-1, 0, 0, 1]) - (place == 0)
                value = max(1, min(5, base - effect * bool(one.conditions.moderated)))
                missing = rng.random() < lost
                ratings.append(
                    Annotation(
                        discussion_id=one.id, turn_id=turn.id, annotator=rater,
                        criterion="toxicity", value=None if missing else value,
                        outcome="failed" if missing else "rated",
                    )
                )  # fmt: skip
    return held, ratings


def analysed(held: list[Any], ratings: list[Annotation]) -> Figures:
    return figures(held, ratings, CRITERIA, controversial=0.5, resamples=500, seed=0)


def test_an_effect_of_moderation_is_found_and_none_is_not() -> None:
    strong = analysed(*study(effect=1)).analysis
    (effect,) = strong.effects
    assert (effect.n_pairs, effect.n_topics) == (8, 8)
    assert effect.delta is not None and effect.p is not None
    assert -1.3 < effect.delta < -0.7 and effect.p < 0.02
    terms = {t.term: t for t in strong.regressions[0].terms}
    assert terms["moderated"].high < 0
    nothing = analysed(*study(effect=0)).analysis
    assert nothing.effects[0].p is not None and nothing.effects[0].p > 0.05
    assert nothing.regressions[0].terms[1].p > 0.05


def test_the_regression_is_cluster_robust_least_squares() -> None:
    held, ratings = study(effect=1)
    found = analysed(held, ratings).analysis.regressions[0]
    assert [t.term for t in found.terms] == [
        "intercept", "moderated", "turn", "moderated x turn", "annotator bob", "annotator cid",
    ]  # fmt: skip
    rows = [a for a in ratings if a.value is not None]
    place = {(d.id, t.id): (d, n) for d in held for n, t in enumerate(d.turns[::2])}
    x, y, groups = [], [], []
    for a in rows:
        d, n = place[a.discussion_id, a.turn_id]
        m = float(d.conditions.moderated)
        x.append([1, m, n, m * n, a.annotator == "bob", a.annotator == "cid"])
        y.append(a.value)
        groups.append(d.id)
    matrix, values = np.array(x, float), np.array(y, float)
    bread = np.linalg.inv(matrix.T @ matrix)
    beta = bread @ matrix.T @ values
    residuals = values - matrix @ beta
    n, k, names = len(values), matrix.shape[1], sorted(set(groups))
    meat = np.zeros((k, k))
    for name in names:
        own = np.array([g == name for g in groups])
        score = matrix[own].T @ residuals[own]
        meat += np.outer(score, score)
    factor = len(names) / (len(names) - 1) * (n - 1) / (n - k)
    errors = np.sqrt(np.diag(factor * bread @ meat @ bread))
    assert [t.estimate for t in found.terms] == pytest.approx(beta.tolist(), abs=1e-9)
    assert [t.se for t in found.terms] == pytest.approx(errors.tolist(), abs=1e-9)
    assert (found.n_ratings, found.n_discussions) == (n, 16)


def test_what_does_not_allow_a_regression_says_why() -> None:
    held, ratings = study(effect=1)
    only = [d for d in held if d.conditions.moderated]
    mine = [a for a in ratings if a.discussion_id in {d.id for d in only}]
    assert "both moderated and unmoderated" in (
        analysed(only, mine).analysis.regressions[0].reason or ""
    )
    few, little = study(effect=1, topics=2)
    assert "4 discussions are too few" in (
        analysed(few, little).analysis.regressions[0].reason or ""
    )
    some, more = study(effect=1, topics=3)
    terms = analysed(some, more).analysis.regressions[0].terms
    assert [t.term for t in terms] == ["intercept", "moderated", "turn", "moderated x turn"]
    same = [a.model_copy(update={"value": 3, "outcome": "rated"}) for a in ratings]
    assert analysed(held, same).analysis.regressions[0].reason == "every rating is the same"
    assert analysed(held, []).agreement == {}


def test_sides_that_nobody_knows_are_in_the_agreement_alone() -> None:
    held, ratings = study(effect=1, topics=3)
    unknown = discussion(9, None)
    more = [
        a.model_copy(update={"discussion_id": unknown.id})
        for a in ratings if a.discussion_id == held[0].id
    ]  # fmt: skip
    found = analysed([*held, unknown], [*ratings, *more])
    assert found.agreement["toxicity"].n_comments == 7 * 4
    assert found.analysis.regressions[0].n_discussions == 6
    assert {d.side for d in found.analysis.distributions} == {"moderated", "unmoderated", "unknown"}


def test_comments_are_counted_by_place_and_controversy_by_ndfu() -> None:
    held, ratings = study(effect=0, topics=2, lost=0)
    split = {"ann": 1, "bob": 5, "cid": 5}
    first = held[0]
    ratings = [
        a.model_copy(update={"value": split[a.annotator]})
        if (a.discussion_id, a.turn_id) == (first.id, "t3") else a.model_copy(update={"value": 3})
        for a in ratings
    ]  # fmt: skip
    found = analysed(held, ratings)
    assert [(c.comment_id, c.ndfu, c.turn) for c in found.analysis.controversial] == [
        (f"{first.id}/t3", 0.5, 2)
    ]
    assert len(found.comments) == len({c.id for c in found.comments}) == 4 * 4
    points = [(t.side, t.turn) for t in found.analysis.trajectories]
    assert points == [(s, n) for s in ("moderated", "unmoderated") for n in (1, 2, 3, 4)]
    means = {b.annotator: b.mean for b in found.analysis.backgrounds}
    assert means["ann"] == pytest.approx((15 * 3 + 1) / 16)


def test_missing_ratings_are_counted_and_averaged_by_nobody() -> None:
    held, ratings = study(effect=0, lost=0.3)
    lost = sum(a.value is None for a in ratings)
    found = analysed(held, ratings)
    agreement = found.agreement["toxicity"]
    assert (agreement.n_ratings, agreement.n_failed) == (len(ratings) - lost, lost)
    given = [a.value for a in ratings if a.value is not None]
    assert agreement.mean == pytest.approx(sum(given) / len(given))
    assert sum(b.n_missing for b in found.analysis.backgrounds) == lost


def test_every_plot_is_drawn(tmp_path: Any) -> None:
    held, ratings = study(effect=1)
    found = analysed(held, ratings)
    drawn = draw(CRITERIA, found.analysis, found.comments)
    assert sorted(drawn) == [
        "toxicity_annotators", "toxicity_polarization", "toxicity_ratings", "toxicity_trajectories",
    ]  # fmt: skip
    for name, figure in drawn.items():
        figure.savefig(tmp_path / f"{name}.png")
        assert (tmp_path / f"{name}.png").stat().st_size > 5000
    assert draw(CRITERIA, analysed(held, []).analysis, []) == {}
