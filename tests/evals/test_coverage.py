"""Coverage of points of view: on the right side, named where missing, by side for clusters."""

from __future__ import annotations

from typing import Any

import pytest

from evals.contract import Tools
from evals.coverage import ClusterCoverage, PovCoverage, statements, views_of
from evals.optimizing.objective import ObjectiveSettings
from evals.perspectrum_claims import PerspectrumClaims
from evals.rows import Loaded
from evals.scoring import filled
from modules.retrieval import MiniLM
from signatures.errors import ConfigError, InputError
from tests.support import DATA

TOOLS = Tools(MiniLM())
FOR = "Zoos should be closed."
AGAINST = "Zoos should not be closed."
ONE_SIDED = "# Zoos\n\nShould zoos be closed? Zoos ought to be closed. Cages are small."


def _row(**fields: Any) -> dict[str, Any]:
    partial = [{"point_of_view": view, "explanation": view} for view in (FOR, AGAINST)]
    return {"id": "r", "question": "Should zoos be closed?", "partial_answers": partial, **fields}


def test_a_one_sided_answer_covers_one_side_and_the_other_is_named() -> None:
    score = PovCoverage().score(_row(generation=ONE_SIDED), TOOLS)
    assert score.value == 0.5
    assert f'missing: "{AGAINST}"' in score.explanation
    assert f'missing: "{FOR}"' not in score.explanation
    both = _row(generation=ONE_SIDED + " Others hold that zoos ought not to be closed.")
    assert PovCoverage().score(both, TOOLS).value == 1


def test_closeness_alone_cannot_tell_sides_and_may_not_decide() -> None:
    metric = PovCoverage(by="cosine")
    assert metric.score(_row(generation=ONE_SIDED), TOOLS).value == 1
    assert PovCoverage().decides and not metric.decides
    asked = ObjectiveSettings(primary="pov_coverage")
    asked.check({"pov_coverage": PovCoverage()})
    with pytest.raises(ConfigError, match="opposite"):
        asked.check({"pov_coverage": metric})


def test_several_outputs_are_read_together_and_clusters_are_told_by_side() -> None:
    clusters = [
        {"side": "support", "texts": ["The closing of zoos is right.", FOR]},
        {"side": "oppose", "texts": [AGAINST]},
        {"side": "oppose", "texts": ["Bread should be baked at night."]},
    ]
    row = {"input": "Zoos", "clusters": clusters, "outputs": [FOR, "Zoos ought not to be closed."]}
    score = ClusterCoverage().score(row, TOOLS)
    assert score.value == pytest.approx(2 / 3)
    assert "oppose: 1 of 2; support: 1 of 1" in score.explanation
    assert "Bread" in score.explanation


def test_headings_and_questions_state_nothing() -> None:
    assert statements("# Zoos are bad\n\n**Overview**\n- Are they? Yes, they are.") == [
        "Yes, they are."
    ]
    score = PovCoverage().score(_row(generation="Should zoos be closed?"), TOOLS)
    assert score.value == 0


@pytest.mark.parametrize(
    ("fields", "said"),
    [
        ({"partial_answers": None}, "no points of view"),
        ({"partial_answers": []}, "holds no point of view"),
        ({"partial_answers": [{"point_of_view": 7}]}, "point of view 1 is no text"),
        ({"clusters": [{"side": "support"}]}, "cluster 1 has no texts"),
    ],
)
def test_rows_without_points_of_view_are_bad(fields: dict[str, Any], said: str) -> None:
    with pytest.raises(InputError, match=said):
        views_of(_row(generation="x") | fields)


def test_a_row_is_joined_by_its_subject_where_its_id_is_a_runs() -> None:
    known: dict[str, Any] = {"r1": {"input": "A"}, "zoos": {"clusters": [1]}}
    rows = [Loaded("r1", {"input": "Zoos"}), Loaded("x", {"proposition": " Zoos "})]
    assert [one.row for one in filled(rows, known)] == [
        {"input": "Zoos"},
        {"clusters": [1], "proposition": " Zoos "},
    ]


@pytest.mark.data
@pytest.mark.skipif(not DATA.exists(), reason=f"no data at {DATA}")
def test_perspectrums_claims_bring_their_clusters() -> None:
    items = PerspectrumClaims(name="p", path=DATA / "perspectrum", split="dev", limit=3).items()
    assert len(items) == 3
    assert {c["side"] for item in items for c in item.model_dump()["clusters"]} == {
        "support", "oppose",
    }  # fmt: skip
