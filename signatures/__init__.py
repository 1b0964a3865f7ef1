"""What each LM call is asked, and the data the calls exchange."""

from __future__ import annotations

from typing import TYPE_CHECKING, Literal, get_args

if TYPE_CHECKING:
    import dspy

Role = Literal["writer", "planner", "critic", "judge", "reflector"]
"""Who a backend can be chosen for."""

ROLE_NAMES: tuple[Role, ...] = get_args(Role)

ROLES: dict[str, Role] = {
    "CreatePersonas": "planner",
    "WriteSearchQuery": "planner",
    "CiteArgument": "writer",
    "JudgeCitations": "judge",
    "RepairCitations": "writer",
    "SelectTeam": "planner",
    "TeamTurn": "planner",
    "CriticTurn": "critic",
    "MakePlan": "planner",
    "WriteEssay": "writer",
    "WriteOutright": "writer",
    "UserTurn": "writer",
    "GroundedUserTurn": "writer",
    "ModeratorTurn": "critic",
    "AnnotateComment": "judge",
    "OutlineEssay": "planner",
    "OutlineFromPersonas": "planner",
    "PlannerTurn": "planner",
    "StateClaim": "planner",
    "GiveReasons": "planner",
    "MakeConcession": "planner",
    "ReviewComponent": "critic",
    "WriteArgument": "writer",
    "RoundtableTurn": "writer",
    "ShortenTurn": "writer",
    "ModerateRound": "planner",
    "CloseRoundtable": "planner",
    "RecommendFromRoundtable": "planner",
    "ComparePair": "judge",
    "ListPoints": "judge",
    "MarkUsefulPassages": "judge",
    "RateAnswerRelevance": "judge",
    "RateContextRecall": "judge",
    "RateGroundedness": "judge",
    "RateQuality": "judge",
    "RateRelevance": "judge",
}
"""Signature name -> the role whose backend answers it."""


def catalogue() -> list[type[dspy.Signature]]:
    """Every signature of the project, sorted by name."""
    from signatures import (
        debate,
        discussion,
        essay,
        evidence,
        judging,
        methods,
        personas,
        roundtable,
    )

    found = [
        value
        for module in (debate, discussion, essay, evidence, judging, methods, personas, roundtable)
        for name, value in sorted(vars(module).items())
        if name in ROLES
    ]
    return sorted(found, key=lambda s: s.__name__)


__all__ = ["ROLES", "ROLE_NAMES", "Role", "catalogue"]
