"""What does not fit an evaluator's window is refused with its lengths, never cut."""

from __future__ import annotations

from collections.abc import Sequence

from signatures.errors import InputError


def check_window(prefix: int, parts: Sequence[int], window: int | None) -> None:
    """Refuse lengths that cannot be read.

    Args:
        prefix: Tokens of the prompt.
        parts: Tokens of each continuation.
        window: The most tokens the model reads at once; None for no known limit.

    Raises:
        InputError: One of them is empty, or prompt and continuation together are too long.
    """
    if prefix < 1:
        raise InputError("the prompt has no token")
    for number, length in enumerate(parts, start=1):
        if length < 1:
            raise InputError(f"partial answer {number} has no token")
    if window is None:
        return
    over = [n for n, length in enumerate(parts, start=1) if prefix + length > window]
    if over:
        told = ", ".join(f"{prefix} + {parts[n - 1]} (partial answer {n})" for n in over)
        raise InputError(
            "answer and partial answer do not fit the evaluator's window",
            expected=f"at most {window} tokens together",
            got=told,
            remedy="choose an evaluator with a longer window, or pd_length_controlled",
        )


__all__ = ["check_window"]
