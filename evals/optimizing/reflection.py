"""How GEPA gets a new instruction: one signature of ours, asked of the reflector."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from pydantic_core import to_jsonable_python

from evals.optimizing.ended import searching
from evals.optimizing.tuning import Tunable, Tuning
from modules.lm.adapter import signature_name
from modules.lm.ask import Ask
from signatures.errors import BudgetReached, MootError
from signatures.optimizing import Attempt, ReviseInstruction

LONG = 600
"""Characters shown of any one text in an attempt."""

FEW = 4
"""Members shown of any one list."""


class Reflection:
    """Proposes a new instruction for each component (GEPA's ``ProposalFn``).

    A proposal that fails leaves the instruction as it is, and counts as a failure; too many in a
    row end the search.
    """

    def __init__(self, tuning: Tuning) -> None:
        self._tuning = tuning
        self._revise = tuning.roles.bind(Ask(ReviseInstruction))

    def __call__(
        self,
        candidate: dict[str, str],
        reflective_dataset: Mapping[str, Sequence[Mapping[str, Any]]],
        components_to_update: list[str],
    ) -> dict[str, str]:
        return {
            name: self._revised(candidate[name], reflective_dataset[name])
            for name in components_to_update
            if name in candidate and name in reflective_dataset
        }

    def _revised(self, instruction: str, records: Sequence[Mapping[str, Any]]) -> str:
        attempts = [
            Attempt(
                inputs=_shown(record["Inputs"]),
                reply=_shown(record["Generated Outputs"]),
                feedback=str(record["Feedback"]),
            )
            for record in records
        ]
        try:
            with searching(), self._tuning.ledger.unit("reflection"):
                reply = self._revise(
                    instruction=instruction,
                    attempts=attempts,
                    check=lambda r: None if r.revised.strip() else "an empty instruction",
                )
        except BudgetReached:
            raise
        except MootError as error:
            self._tuning.failed_proposal(error)
            return instruction
        return str(reply.revised).strip()


class AskedComponents:
    """Chooses the component to mend next, in turn among those that were asked at all (GEPA's
    ``ReflectionComponentSelector``).

    A program may have parts that a text seldom needs, as a turn of a debate its shortening: there
    is nothing to learn of them from texts that did without.
    """

    def __init__(self, tuning: Tuning) -> None:
        named = Tunable(tuning).named_predictors()
        self._signatures = {name: signature_name(predictor.signature) for name, predictor in named}

    def __call__(
        self,
        state: Any,
        trajectories: Sequence[Any],
        subsample_scores: Sequence[float],
        candidate_idx: int,
        candidate: dict[str, str],
    ) -> list[str]:
        asked = {
            signature_name(predictor.signature)
            for one in trajectories
            for predictor, *_ in one["trace"]
        }
        names: list[str] = state.list_of_named_predictors
        following = state.named_predictor_id_to_update_next_for_program_candidate
        at = following[candidate_idx]
        order = [*names[at:], *names[:at]]
        chosen = next((n for n in order if self._signatures.get(n) in asked), order[0])
        following[candidate_idx] = (names.index(chosen) + 1) % len(names)
        return [chosen]


def _shown(values: Any) -> dict[str, Any]:
    """Values as JSON, shortened: an instruction is learnt from their kind, not their bulk."""
    plain = to_jsonable_python(values, fallback=str)
    return dict(_cut(plain)) if isinstance(plain, dict) else {"text": _cut(plain)}


def _cut(value: Any) -> Any:
    if isinstance(value, str):
        return value if len(value) <= LONG else value[:LONG].rstrip() + " …"
    if isinstance(value, list):
        kept = [_cut(each) for each in value[:FEW]]
        return kept if len(value) <= FEW else [*kept, f"… {len(value) - FEW} more"]
    if isinstance(value, dict):
        return {str(k): _cut(v) for k, v in value.items()}
    return value


__all__ = ["AskedComponents", "Reflection"]
