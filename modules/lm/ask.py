"""Asking an LM one signature, with bounded repair of unusable replies."""

from __future__ import annotations

from collections.abc import Callable
from contextlib import nullcontext
from typing import Any

import dspy
from dspy.utils import exceptions as dspy_errors

from modules.disk import refusal
from signatures.errors import BackendError, MootError, OutageError, ReplyError

Check = Callable[[dspy.Prediction], str | None]
"""Says what is wrong with a reply, or None if it can be used."""

REPAIR_TEMPERATURE = 0.7
"""A reply asked for again at temperature 0 would only repeat the fault."""


class Ask(dspy.Module):
    """One call to an LM: a predictor, the adapter its backend wants, and repair.

    A reply that cannot be parsed has been asked for twice already (DSPy's ChatAdapter falls back
    to JSON once). Then the same prompt is sent again under a new rollout id, ``attempts`` times
    in all, since the cache would otherwise hand back the same fault.

    Example:
        >>> ask = Ask("question -> answer")
        >>> with dspy.context(lm=dspy.utils.DummyLM([{"answer": "42"}])):
        ...     ask(question="six by seven?").answer
        '42'
    """

    def __init__(self, signature: Any, *, attempts: int = 3) -> None:
        super().__init__()
        self.predict = dspy.Predict(signature)
        self.attempts = attempts

    def forward(self, *, check: Check | None = None, **inputs: Any) -> dspy.Prediction:
        """The first usable reply.

        Args:
            check: Says what is wrong with a parsed reply, or None.
            **inputs: The signature's input fields.

        Raises:
            ReplyError: No reply could be used.
            BackendError: The backend failed for good.
        """
        lm = self.predict.lm or dspy.settings.lm
        problem = ""
        for attempt in range(self.attempts):
            config = _retry_config(lm, attempt)
            try:
                with _adapter(lm):
                    reply = self.predict(**inputs, config=config)
            except dspy_errors.AdapterParseError as error:
                problem = f"unreadable: {error.message}"
                continue
            except dspy_errors.LMError as error:
                raise _translated(error) from error
            found = check(reply) if check is not None else None
            if found is None:
                return reply
            problem = found
        raise ReplyError(
            f"{self.predict.signature.__name__}: no usable reply in {self.attempts} attempts",
            got=problem[:300],
            remedy="try a stronger model, or backend.wire=json where the server supports it",
        )


def _adapter(lm: Any) -> Any:
    """The context in which the LM's own adapter writes the prompt, where it brings one."""
    adapter = getattr(getattr(lm, "engine", None), "adapter", None)
    return nullcontext() if adapter is None else dspy.context(adapter=adapter)


def _retry_config(lm: Any, attempt: int) -> dict[str, Any]:
    if attempt == 0:
        return {}
    settings = getattr(lm, "kwargs", {})
    base = 1000 * (settings.get("rollout_id") or 0)
    temperature = settings.get("temperature")
    warm = REPAIR_TEMPERATURE if temperature is None else max(temperature, REPAIR_TEMPERATURE)
    return {"rollout_id": base + attempt, "temperature": warm}


_MEANINGS: list[tuple[type[Exception], type[BackendError], str, str]] = [
    (dspy_errors.LMAuthError, BackendError, "the backend refuses the key",
     "check the variable that backend.api_key_env names"),
    (dspy_errors.LMBillingError, BackendError, "the backend asks for payment",
     "check the account, then resume"),
    (dspy_errors.LMUnsupportedModelError, BackendError, "the backend does not know the model",
     "check backend.model"),
    (dspy_errors.ContextWindowExceededError, BackendError, "the prompt exceeds the model's context",
     "lower recall.background or debate.max_rounds, or choose a larger model"),
    (dspy_errors.LMRateLimitError, OutageError, "the backend keeps refusing for its rate limit",
     "wait and resume, or raise backend.retries"),
    (dspy_errors.LMTimeoutError, OutageError, "the backend did not answer in time",
     "raise backend.timeout_s, then resume"),
    (dspy_errors.LMTransportError, OutageError, "the backend cannot be reached or broke off",
     "check that the server runs at backend.base_url, then resume"),
    (dspy_errors.LMServerError, OutageError, "the backend failed on its side",
     "wait and resume"),
]  # fmt: skip
"""DSPy's error, ours, what to say, what to do; the first that fits."""


def _translated(error: dspy_errors.LMError) -> MootError:
    """Our error for DSPy's; one of ours, or of the disk's, that crossed DSPy comes back."""
    cause = error.__cause__
    if isinstance(cause, MootError):
        return cause
    if isinstance(cause, OSError) and (found := refusal(cause)) is not None:
        return found
    for theirs, ours, what, remedy in _MEANINGS:
        if isinstance(error, theirs):
            return ours(what, got=_first_line(error), remedy=remedy)
    return BackendError("the backend failed", got=_first_line(error))


def _first_line(error: Exception) -> str:
    return (str(error).strip().splitlines() or [type(error).__name__])[0][:300]


__all__ = ["Ask", "Check"]
