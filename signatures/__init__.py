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
    "SelectTeam": "planner",
    "TeamTurn": "planner",
    "CriticTurn": "critic",
    "MakePlan": "planner",
    "WriteEssay": "writer",
}
"""Signature name -> the role whose backend answers it."""


def catalogue() -> list[type[dspy.Signature]]:
    """Every signature of the project, sorted by name."""
    from signatures import debate, essay, personas

    found = [
        value
        for module in (debate, essay, personas)
        for name, value in sorted(vars(module).items())
        if name in ROLES
    ]
    return sorted(found, key=lambda s: s.__name__)


__all__ = ["ROLES", "ROLE_NAMES", "Role", "catalogue"]
