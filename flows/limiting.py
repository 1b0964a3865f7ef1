"""The limiters of a flow's backends: its own number of calls at once, and a bound of Prefect's."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from contextlib import AbstractContextManager, suppress
from functools import partial

from flows.sections import Runner
from modules.lm.backends import Backend
from modules.lm.limits import Limiter
from signatures.errors import ConfigError


def limiters(runner: Runner, backends: Iterable[Backend]) -> dict[str, Limiter]:
    """The process's limiter of each backend, by its identity.

    Args:
        runner: ``concurrency`` bounds the calls to a backend that names no number itself;
            ``limit`` names a global concurrency limit of Prefect's, which all calls also pass.
        backends: Those that will be asked.

    Raises:
        ConfigError: The global limit is none that calls can hold slots of.
    """
    also = _held_globally(runner) if runner.limit else None
    found = {b.identity(): b.limiter(runner.concurrency) for b in backends}
    for limiter in found.values():
        limiter.also = also
    return found


def _held_globally(runner: Runner) -> Callable[[], AbstractContextManager[None]]:
    """Enters a slot of the global limit, which is created first where there is none: Prefect
    would otherwise know no bound, or refuse every call.
    """
    from prefect.client.orchestration import get_client
    from prefect.client.schemas.actions import GlobalConcurrencyLimitCreate
    from prefect.concurrency.sync import concurrency
    from prefect.exceptions import ObjectAlreadyExists, ObjectNotFound

    name = str(runner.limit)
    with get_client(sync_client=True) as client:
        try:
            there = client.read_global_concurrency_limit_by_name(name)
        except ObjectNotFound:
            wanted = GlobalConcurrencyLimitCreate(name=name, limit=runner.concurrency)
            with suppress(ObjectAlreadyExists):  # another process was faster
                client.create_global_concurrency_limit(wanted)
            there = client.read_global_concurrency_limit_by_name(name)
    if not there.active or there.limit < 1:
        raise ConfigError(
            f"runner.limit: the global concurrency limit {name!r} lets no call through",
            got=f"limit {there.limit}, {'active' if there.active else 'inactive'}",
            remedy=f"prefect gcl update {name} --limit 16, and enable it",
        )
    return partial(concurrency, name, strict=True)


__all__ = ["limiters"]
