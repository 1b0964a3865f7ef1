"""A global concurrency limit of Prefect's bounds the calls of several limiters."""

from __future__ import annotations

import time
from concurrent.futures import ThreadPoolExecutor

import dspy
import pytest

from flows.limiting import limiters
from flows.sections import Runner
from modules.lm.ask import Ask
from modules.lm.backends import ServerBackend
from modules.lm.ledger import Ledger
from modules.lm.limits import Limiter, Limits
from signatures.errors import ConfigError
from tests.servers.lm import LMServer

pytestmark = pytest.mark.usefixtures("prefect_server")


def runner(limit: str | None, concurrency: int = 2) -> Runner:
    return Runner(retries=0, retry_delay_s=0, concurrency=concurrency, limit=limit)


def backend(server: LMServer, name: str) -> ServerBackend:
    return ServerBackend(name=name, door="openai", model="test-model", base_url=server.base_url)


def test_calls_of_two_limiters_pass_one_global_limit() -> None:
    from prefect.client.orchestration import get_client

    with LMServer(latency_s=0.1) as server:
        both = [backend(server, "one"), backend(server, "two")]
        slots = limiters(runner("moot-shared"), both)
        with get_client(sync_client=True) as client:
            there = client.read_global_concurrency_limit_by_name("moot-shared")
        assert there.limit == 2

        def ask(number: int) -> None:
            own = both[number % 2]
            lm = own.lm("writer", Ledger(), slots=slots[own.identity()])
            lm.cache = False
            with dspy.context(lm=lm):
                Ask("question -> answer")(question=f"number {number}?")

        with ThreadPoolExecutor(8) as threads:
            list(threads.map(ask, range(8)))
        assert len(server.requests) == 8
        assert server.max_concurrent <= 2
    with get_client(sync_client=True) as client:
        after = client.read_global_concurrency_limit_by_name("moot-shared")
    assert after.active_slots == 0


def test_workers_of_a_cluster_share_one_bound_for_each_backend() -> None:
    from prefect.client.orchestration import get_client

    # Each of two processes would be let through twice as much by itself.
    cluster = Runner(retries=0, retry_delay_s=0, concurrency=2, kind="dask", address="tcp://h:1")
    limits = Limits(requests_per_minute=60, tokens_per_minute=600_000)
    with LMServer(latency_s=0.05) as server, get_client(sync_client=True) as client:
        own = backend(server, "shared").model_copy(update={"limits": limits})
        (known,) = limiters(cluster, [own]).values()
        both = [known, Limiter(known.pace.limits, also=known.also)]

        def ask(number: int) -> None:
            ledger = Ledger()
            lm = own.lm("writer", ledger, slots=both[number % 2])
            lm.cache = False
            with dspy.context(lm=lm):
                Ask("question -> answer")(question=f"and number {number}?")

        started = time.monotonic()
        with ThreadPoolExecutor(8) as threads:
            list(threads.map(ask, range(8)))
        took = time.monotonic() - started
        assert len(server.requests) == 8
        assert server.max_concurrent <= 2
        assert took >= 1.0  # six at once, and then nine in ten seconds
        name = f"moot-shared-test-model@127.0.0.1:{server.port}-v1-chat1"
        there = {
            end: client.read_global_concurrency_limit_by_name(f"{name}{end}")
            for end in ("", "-requests", "-tokens")
        }
        assert [(one.limit, one.active) for one in there.values()] == [
            (2, True), (6, True), (60_000, True),
        ]  # fmt: skip
        assert there["-requests"].slot_decay_per_second == pytest.approx(0.9)
        # Another number holds from the next process on.
        limiters(cluster.model_copy(update={"concurrency": 3}), [own])
        assert client.read_global_concurrency_limit_by_name(name).limit == 3


def test_a_limit_that_lets_nothing_through_is_refused() -> None:
    from prefect.client.orchestration import get_client
    from prefect.client.schemas.actions import GlobalConcurrencyLimitCreate

    with get_client(sync_client=True) as client:
        client.create_global_concurrency_limit(
            GlobalConcurrencyLimitCreate(name="moot-closed", limit=5, active=False)
        )
    with pytest.raises(ConfigError, match="moot-closed"):
        limiters(runner("moot-closed"), [])


def test_a_flow_without_a_global_limit_leaves_that_of_an_earlier_one_behind() -> None:
    with LMServer() as server:
        own = backend(server, "one")
        (first,) = limiters(runner("moot-shared", 4), [own]).values()
        assert first.also is not None
        (second,) = limiters(runner(None, 8), [own]).values()
        assert second is first
        assert second.also is None
        assert second.pace.limits.concurrency == 8


def test_how_fast_a_backend_is_asked_is_no_part_of_what_a_run_does() -> None:
    from flows.config import config_hash
    from tests.support import composed

    words = ("subject=x", "backend=openai", "paths.artifacts=/a")
    one, two, other = (
        config_hash(composed("essay", *words, f"backend.{option}"))
        for option in ("limits.concurrency=2", "limits.tokens_per_minute=9", "model=gpt-4o")
    )
    assert one == two != other
