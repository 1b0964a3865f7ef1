"""Giving every predictor of a program the LM of the role it plays."""

from __future__ import annotations

from collections.abc import Mapping
from contextlib import AbstractContextManager
from copy import copy
from typing import Any

from modules.lm.adapter import signature_name
from modules.lm.backends import Backend
from modules.lm.ledger import Ledger
from modules.lm.limits import Limiter
from signatures import ROLE_NAMES, ROLES, Role

SAMPLE = 100_003
"""How far apart the rollouts of two samples lie: further than any two replicates."""


class Roles:
    """The LM of each role: the default backend's, or the role's own.

    Args:
        backend: Fills every role not named in ``own``.
        ledger: Where all calls are counted.
        own: Backends by role name.
        seed: Sampling seed.
        replicate: Which sample of an otherwise equal request.
        slots: For a backend's identity, what bounds its calls; others have limiters of their own.
    """

    def __init__(
        self,
        backend: Backend,
        ledger: Ledger,
        *,
        own: Mapping[Role, Backend] | None = None,
        seed: int = 0,
        replicate: int = 0,
        slots: Mapping[str, Limiter | AbstractContextManager[Any]] | None = None,
    ) -> None:
        chosen = dict(own or {})
        self.backends = {role: chosen.get(role, backend) for role in ROLE_NAMES}
        self._lms: dict[Role, Any] = {}
        self._made: list[Any] = []
        self._ledger = ledger
        self._seed = seed
        self._replicate = replicate
        self._slots = dict(slots or {})

    def lm(self, role: Role) -> Any:
        """The LM of ``role``, built when first asked for.

        Raises:
            BackendError: Its backend cannot be used.
        """
        if role not in self._lms:
            backend = self.backends[role]
            self._lms[role] = backend.lm(
                role,
                self._ledger,
                seed=self._seed,
                replicate=self._replicate,
                slots=self._slots.get(backend.identity()),
            )
            self._made.append(self._lms[role])
        return self._lms[role]

    def close(self) -> None:
        """Close the connections of these roles and of their samples, when the calls under way have
        ended; no other may follow.
        """
        for lm in self._made:
            lm.engine.close()

    def bind(self, program: Any) -> Any:
        """Set the LM of every predictor in ``program`` by its signature; returns the program."""
        for _, predictor in program.named_predictors():
            predictor.lm = self.lm(ROLES.get(signature_name(predictor.signature), "writer"))
        return program

    def sample(self, number: int) -> Roles:
        """The same roles for the n-th of several samples of one request, n from 0.

        Each sample is a rollout of its own, which no other sample of any replicate has; the first
        is that of these roles themselves.
        """
        if number == 0:
            return self
        other = copy(self)
        other._lms = {}
        other._replicate = self._replicate + SAMPLE * number
        return other

    def models(self) -> dict[str, str]:
        """Role -> model identity, for the run's record."""
        return {role: backend.identity() for role, backend in self.backends.items()}


__all__ = ["Roles"]
