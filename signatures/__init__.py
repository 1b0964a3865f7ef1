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
    "AnswerShortly": "writer",
    "FindPerspective": "planner",
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
    "ScoreAnswer": "judge",
    "WriteSteps": "judge",
    "FillForm": "judge",
    "ListViews": "judge",
    "JudgeAcknowledgement": "judge",
    "JudgeComprehensiveness": "judge",
    "JudgeDispute": "judge",
    "ComparePair": "judge",
    "ListPoints": "judge",
    "MarkUsefulPassages": "judge",
    "RateAnswerRelevance": "judge",
    "RateContextRecall": "judge",
    "RateGroundedness": "judge",
    "RateQuality": "judge",
    "RateRelevance": "judge",
    "AnswerBasic": "writer",
    "AnswerComprehensively": "writer",
    "AnswerInDetail": "writer",
    "ChooseFound": "planner",
    "FrameQuestion": "planner",
    "NextSearch": "planner",
    "StateViews": "planner",
    "WeighViews": "writer",
    "ExplainView": "writer",
    "ExtractViews": "planner",
    "WriteQueries": "planner",
    "ReviseInstruction": "reflector",
}
"""Signature name -> the role whose backend answers it."""


def catalogue() -> list[type[dspy.Signature]]:
    """Every signature of the project, sorted by name."""
    from signatures import (
        answer_judging,
        answering,
        curation,
        debate,
        discussion,
        dispute,
        essay,
        evidence,
        judging,
        methods,
        optimizing,
        personas,
        perspectives,
        roundtable,
        short_answers,
    )

    found = [
        value
        for module in (
            answer_judging,
            answering,
            curation,
            debate,
            discussion,
            dispute,
            essay,
            evidence,
            judging,
            methods,
            optimizing,
            personas,
            perspectives,
            roundtable,
            short_answers,
        )
        for name, value in sorted(vars(module).items())
        if name in ROLES
    ]
    return sorted(found, key=lambda s: s.__name__)


__all__ = ["ROLES", "ROLE_NAMES", "Role", "catalogue"]
