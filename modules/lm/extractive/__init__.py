"""The engine without weights: answers put together from the sentences it is given.

It selects, orders and joins; it never rates or judges, and refuses where there is no evidence.

    >>> nurse = {"id": "p1", "title": "Nurse", "description": "", "claim": "Wards need staff."}
    >>> inputs = {"proposition": "P", "goal": "refute", "team_size": 1, "candidates": [nurse]}
    >>> answer("SelectTeam", inputs, seed=0)["choices"][0]["id"]
    'p1'
"""

from __future__ import annotations

from collections.abc import Mapping
from importlib import import_module
from typing import Any

from signatures.errors import BackendError

_ANSWERERS: dict[str, tuple[str, str]] = {
    "CreatePersonas": ("personas", "create_personas"),
    "SelectTeam": ("team", "select_team"),
    "TeamTurn": ("turns", "team_turn"),
    "CriticTurn": ("turns", "critic_turn"),
    "MakePlan": ("plan", "make_plan"),
    "WriteEssay": ("essay", "write_essay"),
    "WriteOutright": ("essay", "write_outright"),
    "OutlineEssay": ("outline", "outline_essay"),
    "OutlineFromPersonas": ("outline", "outline_from_personas"),
    "PlannerTurn": ("turns", "planner_turn"),
    "StateClaim": ("discourse", "state_claim"),
    "GiveReasons": ("discourse", "give_reasons"),
    "MakeConcession": ("discourse", "make_concession"),
    "ReviewComponent": ("discourse", "review_component"),
    "WriteArgument": ("essay", "write_argument"),
    "RoundtableTurn": ("roundtable", "roundtable_turn"),
    "ShortenTurn": ("roundtable", "shorten_turn"),
    "ModerateRound": ("roundtable", "moderate_round"),
    "CloseRoundtable": ("roundtable", "close_roundtable"),
    "RecommendFromRoundtable": ("roundtable", "recommend_from_roundtable"),
    "AnswerShortly": ("short_answers", "answer_shortly"),
    "FindPerspective": ("perspective", "find_perspective"),
    "WriteSearchQuery": ("evidence", "write_search_query"),
    "CiteArgument": ("evidence", "cite_argument"),
    "RepairCitations": ("evidence", "repair_citations"),
    "ComparePair": ("judging", "compare_pair"),
    "FillForm": ("judging", "fill_form"),
    "JudgeAcknowledgement": ("judging", "judge_acknowledgement"),
    "JudgeComprehensiveness": ("judging", "judge_comprehensiveness"),
    "JudgeDispute": ("judging", "judge_dispute"),
    "ListViews": ("judging", "list_views"),
    "ScoreAnswer": ("judging", "score_answer"),
    "WriteSteps": ("judging", "write_steps"),
    "JudgeCitations": ("judging", "judge_citations"),
    "ListPoints": ("points", "list_points"),
    "MarkUsefulPassages": ("judging", "mark_useful_passages"),
    "RateAnswerRelevance": ("judging", "rate_answer_relevance"),
    "RateContextRecall": ("judging", "rate_context_recall"),
    "RateGroundedness": ("judging", "rate_groundedness"),
    "RateQuality": ("judging", "rate_quality"),
    "RateRelevance": ("judging", "rate_relevance"),
    "UserTurn": ("discussion", "user_turn"),
    "GroundedUserTurn": ("discussion", "user_turn"),
    "ModeratorTurn": ("discussion", "moderator_turn"),
    "AnnotateComment": ("discussion", "annotate_comment"),
    "AnswerBasic": ("answering", "answer_basic"),
    "AnswerComprehensively": ("answering", "answer_comprehensively"),
    "AnswerInDetail": ("answering", "answer_in_detail"),
    "ChooseFound": ("answering", "choose_found"),
    "FrameQuestion": ("answering", "frame_question"),
    "NextSearch": ("answering", "next_search"),
    "StateViews": ("answering", "state_views"),
    "WeighViews": ("answering", "weigh_views"),
    "ExplainView": ("curation", "explain_view"),
    "ExtractViews": ("curation", "extract_views"),
    "WriteQueries": ("curation", "write_queries"),
    "ReviseInstruction": ("tuning", "revise_instruction"),
    "BasicGenerateInstruction": ("tuning", "keep_instruction"),
    "GenerateInstructionGivenAttempts": ("tuning", "keep_best_attempt"),
    "GenerateSingleModuleInstruction": ("tuning", "keep_module_instruction"),
    "DatasetDescriptor": ("tuning", "describe_examples"),
    "DatasetDescriptorWithPriorObservations": ("tuning", "nothing_to_add"),
    "ObservationSummarizer": ("tuning", "summarize_observations"),
    "OfferFeedback": ("tuning", "no_advice"),
}
"""Signature name -> (module, function); modules load on first use to keep this import light."""


def answer(signature: str, inputs: Mapping[str, Any], seed: int) -> dict[str, Any]:
    """The output fields of one call as plain JSON, a function of its arguments alone.

    Raises:
        EvidenceError: The inputs hold no usable evidence.
        BackendError: The engine does not answer this signature.
    """
    if signature not in _ANSWERERS:
        raise BackendError(
            f"the extractive baseline does not answer calls of the kind {signature}",
            expected="one of " + ", ".join(_ANSWERERS),
            remedy="choose a real model for this role, such as backend=openai",
        )
    from modules.lm.extractive.chance import stream

    module, function = _ANSWERERS[signature]
    answerer = getattr(import_module(f"{__name__}.{module}"), function)
    result: dict[str, Any] = answerer(inputs, stream(signature, inputs, seed))
    return result


__all__ = ["answer"]
