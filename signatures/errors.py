"""The error tree. Every failure a user can meet is one of these.

    MootError
    ├── UsageError            exit 2: the command, its configuration or its input is wrong
    │   ├── ConfigError       an option is unknown, missing or out of range
    │   ├── InputError        a subject or a file cannot be used
    │   ├── EvidenceError     there is no index, or it holds nothing on the subject
    │   └── BackendError      a model is unknown, lacks its key, or cannot take the request
    │       └── OutageError   it did not answer, broke off, or keeps refusing for its rate
    ├── ReplyError            exit 1: a model's reply stayed unusable after bounded repair
    ├── StorageError          exit 1: the disk refused a write (full, read-only)
    ├── IncompleteError       exit 1: the result is printed, but too many of its items failed
    ├── TooManyFailures       exit 1: more units failed than allowed; no further one was begun
    ├── GateNotPassed         exit 4: an evaluation is worse than the one it is held against
    └── BudgetReached         exit 3: a cap on calls, tokens or money stopped the run

An error says what failed, what was expected, what was met, and what to do about it.
"""

from __future__ import annotations

from typing import ClassVar


class MootError(Exception):
    """Base of the tree.

    Args:
        what: The thing that failed, as a short clause.
        expected: What would have been accepted.
        got: What was met instead.
        remedy: What the user can do now.
    """

    exit_code: ClassVar[int] = 1

    def __init__(
        self,
        what: str,
        *,
        expected: str | None = None,
        got: str | None = None,
        remedy: str | None = None,
    ) -> None:
        self.what = what
        self.expected = expected
        self.got = got
        self.remedy = remedy
        super().__init__(self.line())

    def line(self) -> str:
        """One line with every part that is known."""
        parts = [self.what]
        if self.expected is not None:
            parts.append(f"expected {self.expected}")
        if self.got is not None:
            parts.append(f"got {self.got}")
        if self.remedy is not None:
            parts.append(self.remedy)
        return " ".join("; ".join(parts).split())

    def as_json(self) -> dict[str, str | None]:
        """The error document printed with ``output=json``."""
        parts = [self.what]
        if self.expected is not None:
            parts.append(f"expected {self.expected}")
        if self.got is not None:
            parts.append(f"got {self.got}")
        return {"type": type(self).__name__, "message": "; ".join(parts), "remedy": self.remedy}

    def __reduce__(self) -> tuple[object, ...]:
        # Exceptions cross process borders (Prefect, Dask); keyword-only fields must survive.
        return (_rebuild, (type(self), self.what, self.expected, self.got, self.remedy))


def _rebuild(
    cls: type[MootError], what: str, expected: str | None, got: str | None, remedy: str | None
) -> MootError:
    return cls(what, expected=expected, got=got, remedy=remedy)


class UsageError(MootError):
    """The command, its configuration or its input is wrong; nothing was started."""

    exit_code: ClassVar[int] = 2


class ConfigError(UsageError):
    """An option is unknown, missing, or out of range."""


class InputError(UsageError):
    """A subject, file or folder cannot be used."""


class EvidenceError(UsageError):
    """There is no index, it was built otherwise, or it holds nothing on the subject."""


class BackendError(UsageError):
    """A model backend does not know the model, lacks its key, or cannot take the request."""


class OutageError(BackendError):
    """A backend did not answer, broke off, or keeps refusing: trying again may help."""


class ReplyError(MootError):
    """A model's reply stayed unusable after bounded repair."""


class StorageError(MootError):
    """The disk refused a write."""


class IncompleteError(MootError):
    """The result is there and has been printed, but more of its items failed than allowed."""


class TooManyFailures(MootError):  # noqa: N818 - an outcome, as BudgetReached
    """More units failed than the configuration allows; everything so far is kept."""


class GateNotPassed(MootError):  # noqa: N818 - an outcome, as BudgetReached
    """An evaluation is worse than the one it is held against; its result has been printed."""

    exit_code: ClassVar[int] = 4


class BudgetReached(MootError):  # noqa: N818 - reaching a budget is an outcome, not a fault
    """A cap on calls, tokens or money stopped the run; everything so far is kept."""

    exit_code: ClassVar[int] = 3


__all__ = [
    "BackendError",
    "BudgetReached",
    "ConfigError",
    "EvidenceError",
    "GateNotPassed",
    "IncompleteError",
    "InputError",
    "MootError",
    "OutageError",
    "ReplyError",
    "StorageError",
    "TooManyFailures",
    "UsageError",
]
