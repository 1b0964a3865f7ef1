"""The limiters of a flow's backends: each process's own number of calls at once, and bounds that
processes share, which are global concurrency limits of Prefect's.

Workers of a cluster share one bound for each backend: what its server allows at once and in a
minute. How fast it is asked below that each learns for itself from refusals: additive increase and
multiplicative decrease come to a fair share without a word between those who follow it (Chiu and
Jain, 1989).
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager, suppress
from typing import TYPE_CHECKING

from flows.sections import Runner
from modules.lm.backends import Backend
from modules.lm.limits import MINUTE_S, Enter, Limiter, Limits, Spent
from signatures.errors import ConfigError

if TYPE_CHECKING:
    from prefect.client.schemas.responses import GlobalConcurrencyLimitResponse

LEASE_S = 60.0
"""Seconds after which the slots of a process that was killed are free again."""

BURST = 10
"""The part of a minute's allowance that may be spent at once."""


def limiters(runner: Runner, backends: Iterable[Backend]) -> dict[str, Limiter]:
    """The process's limiter of each backend, by its identity.

    Args:
        runner: ``concurrency`` bounds the calls to a backend that names no number itself;
            ``limit`` names a global concurrency limit of Prefect's, which all calls also pass.
            On a cluster without one, each backend that is a server has one of its own.
        backends: Those that will be asked.

    Raises:
        ConfigError: The global limit is none that calls can hold slots of.
    """
    used = {b.identity(): b for b in backends}
    found = {name: b.limiter(runner.concurrency) for name, b in used.items()}
    named = _held(_named(str(runner.limit), runner.concurrency)) if runner.limit else None
    for name, limiter in found.items():
        limiter.also = named
        if named is None and runner.kind == "dask" and not used[name].deterministic:
            limiter.also = _of_all(name, limiter.pace.limits)
    return found


def _of_all(identity: str, limits: Limits) -> Enter:
    """Passes what all processes may ask of a backend; its limits are as this process has them."""
    name = "moot-" + re.sub(r"[^\w.@:+-]+", "-", identity)
    _given(name, limits.concurrency or 1)
    requests = _by_the_minute(f"{name}-requests", limits.requests_per_minute)
    tokens = _by_the_minute(f"{name}-tokens", limits.tokens_per_minute)
    return _held(name, requests, tokens)


def _held(
    name: str,
    requests: Callable[[int], None] = lambda _: None,
    tokens: Callable[[int], None] = lambda _: None,
) -> Enter:
    """Holds a slot of a global limit for the time of a call, which is counted against what a minute
    allows before it begins; its tokens are, once they are known.
    """
    from prefect.concurrency.sync import concurrency

    @contextmanager
    def held(spent: Spent) -> Iterator[None]:
        requests(1)
        with concurrency(name, strict=True, lease_duration=LEASE_S):
            yield
        tokens(spent.tokens)

    return held


def _by_the_minute(name: str, most: int | None) -> Callable[[int], None]:
    """Waits until so many more may be spent: a bucket that fills as the minute goes, and never lets
    more than ``most`` through in one.
    """
    if most is None:
        return lambda _: None
    from prefect.concurrency.sync import rate_limit

    burst = max(1, most // BURST)
    _given(name, burst, max(1, most - burst) / MINUTE_S)

    def passed(count: int) -> None:
        while count > 0:
            rate_limit(name, occupy=min(count, burst), strict=True)
            count -= burst

    return passed


def _named(name: str, slots: int) -> str:
    """The limit that the user named, which is created where there is none: Prefect would otherwise
    know no bound, or refuse every call.
    """
    found = _there(name, slots)
    if not found.active or found.limit < 1:
        raise ConfigError(
            f"runner.limit: the global concurrency limit {name!r} lets no call through",
            got=f"limit {found.limit}, {'active' if found.active else 'inactive'}",
            remedy=f"prefect gcl update {name} --limit 16, and enable it",
        )
    return name


def _given(name: str, slots: int, decay: float = 0.0) -> None:
    """A limit of our own, as it is wanted from now on."""
    from prefect.client.orchestration import get_client
    from prefect.client.schemas.actions import GlobalConcurrencyLimitUpdate

    found = _there(name, slots, decay)
    if (found.limit, found.active, found.slot_decay_per_second) != (slots, True, decay):
        wanted = GlobalConcurrencyLimitUpdate(limit=slots, active=True, slot_decay_per_second=decay)
        with get_client(sync_client=True) as client:
            client.update_global_concurrency_limit(name, wanted)


def _there(name: str, slots: int, decay: float = 0.0) -> GlobalConcurrencyLimitResponse:
    """The limit of that name; it is created where there is none."""
    from prefect.client.orchestration import get_client
    from prefect.client.schemas.actions import GlobalConcurrencyLimitCreate
    from prefect.exceptions import ObjectAlreadyExists, ObjectNotFound

    with get_client(sync_client=True) as client:
        try:
            return client.read_global_concurrency_limit_by_name(name)
        except ObjectNotFound:
            wanted = GlobalConcurrencyLimitCreate(
                name=name, limit=slots, slot_decay_per_second=decay
            )
            with suppress(ObjectAlreadyExists):  # another process was faster
                client.create_global_concurrency_limit(wanted)
            return client.read_global_concurrency_limit_by_name(name)


__all__ = ["limiters"]
