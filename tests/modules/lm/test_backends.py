"""Every backend of the OpenAI protocol, and Anthropic's, against a real local server."""

from __future__ import annotations

import threading
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import dspy
import pytest

from modules.lm.ask import Ask
from modules.lm.backends import ExtractiveBackend, LiteLLMBackend, ServerBackend
from modules.lm.ledger import Budget, Ledger
from modules.lm.roles import Roles
from signatures.debate import MakePlan
from signatures.errors import BackendError, BudgetReached, ReplyError
from tests.servers.lm import LMRequest, LMServer, Reply, answer, fill_fields

pytestmark = pytest.mark.usefixtures("home")

DOORS = ["openai", "hosted_vllm", "ollama_chat", "anthropic"]


class Question(dspy.Signature):
    """Answer the question."""

    question: str = dspy.InputField()
    answer: str = dspy.OutputField()
    sure: bool = dspy.OutputField()


def backend(server: LMServer, **settings: Any) -> ServerBackend:
    values = {"name": "test", "door": "openai", "model": "test-model", "retries": 0}
    return ServerBackend(**{**values, "base_url": server.base_url, **settings})


def fields(**values: Any) -> Any:
    def respond(request: LMRequest) -> str:
        return answer(request, values)

    return respond


@pytest.fixture(autouse=True)
def no_cache() -> None:
    dspy.configure_cache(enable_disk_cache=False, enable_memory_cache=False)


@pytest.mark.parametrize("door", DOORS)
@pytest.mark.parametrize("wire", ["chat", "json"])
def test_a_typed_reply_comes_through(door: str, wire: str) -> None:
    ledger = Ledger()
    with LMServer(fields(answer="42", sure=True)) as server:
        lm = backend(server, door=door, wire=wire).lm("writer", ledger)
        with dspy.context(lm=lm):
            reply = Ask(Question)(question="six by seven?")
        assert (reply.answer, reply.sure) == ("42", True)
        assert server.requests[0].model == "test-model"
    usage = ledger.usage()
    assert usage.calls == 1
    assert usage.input_tokens > 0
    assert usage.usd is None  # no price is known for test-model


@pytest.mark.parametrize("door", DOORS)
def test_typed_models_come_through(door: str) -> None:
    with LMServer(fill_fields) as server:
        lm = backend(server, door=door).lm("planner", Ledger())
        with dspy.context(lm=lm):
            reply = Ask(MakePlan)(
                proposition="P", goal="refute", team=[], transcript=[], minimum_points=1,
                maximum_points=5,
            )  # fmt: skip
    assert reply.plan.points[0].point


def test_a_schema_is_sent_where_the_server_enforces_one() -> None:
    with LMServer(fill_fields) as server:
        lm = backend(server, wire="json", structured=True).lm("planner", Ledger())
        with dspy.context(lm=lm):
            Ask(Question)(question="?")
        assert server.requests[0].response_schema is not None


def test_a_rate_limit_is_retried_after_the_time_named_and_counted() -> None:
    ledger = Ledger()
    with LMServer(fields(answer="yes", sure=True)) as server:
        server.script(Reply(status=429, retry_after=0.05), Reply(status=500))
        lm = backend(server, retries=3).lm("writer", ledger)
        with dspy.context(lm=lm):
            assert Ask(Question)(question="?").answer == "yes"
    assert ledger.usage().failed_attempts == 2
    assert ledger.usage().calls == 1


@pytest.mark.parametrize(
    ("reply", "said"),
    [
        (Reply(status=500), "failed"),
        (Reply(hang=True), "cannot be reached or broke off"),
        (Reply(drop=True), "cannot be reached or broke off"),
        (Reply(truncate=True), "cannot be reached or broke off"),
        (Reply(status=400, error_code="context_length_exceeded", text="too long"), "context"),
        (Reply(status=429), "rate limit"),
    ],
)
def test_a_final_failure_is_said_in_one_line(reply: Reply, said: str) -> None:
    with LMServer(fields(answer="yes", sure=True)) as server:
        server.script(reply)
        lm = backend(server, timeout_s=0.3 if reply.hang else 60).lm("writer", Ledger())
        with dspy.context(lm=lm), pytest.raises(BackendError) as caught:
            Ask(Question)(question="?")
    assert said in caught.value.line()
    assert "\n" not in caught.value.line()


def test_malformed_replies_are_repaired_within_bounds() -> None:
    with LMServer(fields(answer="yes", sure=True)) as server:
        server.script(Reply(text="nonsense"), Reply(text="more nonsense"))
        lm = backend(server).lm("writer", Ledger())
        with dspy.context(lm=lm):
            assert Ask(Question)(question="?").answer == "yes"
        assert len(server.requests) == 3


def test_malformed_replies_end_as_a_named_failure_and_are_paid_for() -> None:
    ledger = Ledger()
    with LMServer(lambda request: "nonsense") as server:
        lm = backend(server).lm("writer", ledger)
        with dspy.context(lm=lm), pytest.raises(ReplyError, match="Question"):
            Ask(Question, attempts=2)(question="?")
        assert len(server.requests) == 4
    assert ledger.usage().calls == 4


def test_a_reply_that_fails_the_check_is_asked_for_again() -> None:
    replies = iter(["no", "yes"])
    with LMServer(lambda r: answer(r, {"answer": next(replies), "sure": True})) as server:
        lm = backend(server).lm("writer", Ledger())
        with dspy.context(lm=lm):
            reply = Ask(Question)(
                question="?", check=lambda r: None if r.answer == "yes" else "not a yes"
            )
    assert reply.answer == "yes"


def test_an_empty_reply_is_repaired() -> None:
    with LMServer(fields(answer="yes", sure=True)) as server:
        server.script(Reply(text=""), Reply(text=""))
        lm = backend(server).lm("writer", Ledger())
        with dspy.context(lm=lm):
            assert Ask(Question)(question="?").answer == "yes"


def test_a_missing_key_is_named_and_never_printed(monkeypatch: pytest.MonkeyPatch) -> None:
    with LMServer(api_key="sk-right") as server:
        with pytest.raises(BackendError, match="MY_KEY"):
            backend(server, api_key_env="MY_KEY").lm("writer", Ledger())
        monkeypatch.setenv("MY_KEY", "sk-wrong-secret")
        lm = backend(server, api_key_env="MY_KEY").lm("writer", Ledger())
        with dspy.context(lm=lm), pytest.raises(BackendError) as caught:
            Ask(Question)(question="?")
    assert "key" in caught.value.line()
    assert "sk-wrong-secret" not in caught.value.line() + repr(vars(lm)) + repr(lm.history)


def test_an_unknown_model_is_said() -> None:
    with LMServer(models=("other",)) as server:
        lm = backend(server).lm("writer", Ledger())
        with dspy.context(lm=lm), pytest.raises(BackendError, match="does not know the model"):
            Ask(Question)(question="?")


def test_an_absent_server_is_said() -> None:
    lm = ServerBackend(
        name="gone", door="openai", model="m", base_url="http://127.0.0.1:9/v1", retries=0
    ).lm("writer", Ledger())
    with dspy.context(lm=lm), pytest.raises(BackendError, match="cannot be reached"):
        Ask(Question)(question="?")


def test_probe_tells_reachable_from_not(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("MY_KEY", "sk-wrong")
    with LMServer(api_key="sk-right") as server:
        with pytest.raises(BackendError, match="refuses the key"):
            backend(server, api_key_env="MY_KEY").probe()
        monkeypatch.setenv("MY_KEY", "sk-right")
        reachable = backend(server, api_key_env="MY_KEY")
        assert "answers" in reachable.probe()
    with pytest.raises(BackendError, match="does not answer"):
        reachable.probe()


def test_two_servers_with_one_model_name_do_not_share_cache_entries(tmp_path: Path) -> None:
    dspy.configure_cache(disk_cache_dir=str(tmp_path), restrict_pickle=True)
    with (
        LMServer(fields(answer="one", sure=True)) as a,
        LMServer(fields(answer="two", sure=True)) as b,
    ):
        said = []
        for server in (a, b, a):
            with dspy.context(lm=backend(server).lm("writer", Ledger())):
                said.append(Ask(Question)(question="who?").answer)
        assert said == ["one", "two", "one"]
        assert len(a.requests) == len(b.requests) == 1


def test_cached_answers_are_counted_apart(tmp_path: Path) -> None:
    dspy.configure_cache(disk_cache_dir=str(tmp_path), restrict_pickle=True)
    ledger = Ledger()
    with LMServer(fields(answer="one", sure=True)) as server:
        for _ in range(3):
            with dspy.context(lm=backend(server).lm("writer", ledger)):
                Ask(Question)(question="who?")
    assert (ledger.usage().calls, ledger.usage().cached_calls) == (1, 2)


def test_a_replicate_is_a_new_sample(tmp_path: Path) -> None:
    dspy.configure_cache(disk_cache_dir=str(tmp_path), restrict_pickle=True)
    with LMServer(fields(answer="one", sure=True)) as server:
        for replicate in (0, 1, 1):
            lm = backend(server, temperature=1.0).lm("writer", Ledger(), replicate=replicate)
            with dspy.context(lm=lm):
                Ask(Question)(question="who?")
        assert len(server.requests) == 2


def test_a_price_table_makes_dollars() -> None:
    ledger = Ledger()
    prices = {"test-model": {"input": 1.0, "cached_input": 0.5, "output": 10.0}}
    with LMServer() as server:
        server.script(
            Reply(usage=(1000, 100), cached_tokens=400, text='{"answer":"a","sure":true}')
        )
        lm = backend(server, prices=prices, wire="json").lm("writer", ledger)
        with dspy.context(lm=lm):
            Ask(Question)(question="?")
    assert ledger.usage().usd == pytest.approx((600 * 1.0 + 400 * 0.5 + 100 * 10.0) / 1e6)
    assert ledger.usage().cached_input_tokens == 400


@pytest.mark.parametrize("cap", [{"calls": 2}, {"tokens": 1}, {"usd": 0.000001}])
def test_a_budget_stops_before_the_next_call(cap: dict[str, Any]) -> None:
    ledger = Ledger(budget=Budget(**cap))
    prices = {"test-model": {"input": 1.0, "output": 1.0}}
    with LMServer(fields(answer="yes", sure=True)) as server:
        lm = backend(server, prices=prices).lm("writer", ledger)
        with dspy.context(lm=lm), pytest.raises(BudgetReached, match=next(iter(cap))):
            for number in range(5):
                Ask(Question)(question=f"{number}?")
        assert len(server.requests) <= 2


def test_counting_is_true_under_threads() -> None:
    ledger = Ledger()
    with LMServer(fields(answer="yes", sure=True), latency_s=0.02) as server:
        lm = backend(server).lm("writer", ledger)

        def work(number: int) -> None:
            with ledger.unit(f"unit{number % 4}"), dspy.context(lm=lm):
                Ask(Question)(question=f"{number}?")

        with ThreadPoolExecutor(8) as pool:
            list(pool.map(work, range(40)))
    assert ledger.usage().calls == 40
    assert [ledger.usage(unit=f"unit{n}").calls for n in range(4)] == [10] * 4


def test_roles_can_differ(monkeypatch: pytest.MonkeyPatch) -> None:
    with LMServer(fill_fields) as server:
        roles = Roles(ExtractiveBackend(), Ledger(), own={"writer": backend(server)})
        assert roles.models()["writer"].startswith("test/test-model@127.0.0.1")
        assert roles.models()["critic"] == "extractive/extractive-v1"
        assert roles.lm("writer") is roles.lm("writer")


def test_what_is_under_way_is_answered_and_counted_before_connections_close() -> None:
    arrived, go = threading.Event(), threading.Event()

    def slow(request: LMRequest) -> str:
        arrived.set()
        assert go.wait(60)
        return answer(request, {"answer": "42", "sure": True})

    ledger = Ledger()
    with LMServer(slow) as server, ThreadPoolExecutor(1) as pool:
        roles = Roles(backend(server), ledger)
        ask = roles.bind(Ask(Question))
        asked = pool.submit(ask, question="six by seven?")
        assert arrived.wait(60)
        roles.close()
        go.set()
        assert asked.result().answer == "42"
        assert ledger.usage().calls == 1
        with pytest.raises(BackendError):
            ask(question="six by eight?")
        assert len(server.requests) == 1


def test_gemini_goes_through_litellm_and_says_what_it_lacks(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    gemini = LiteLLMBackend(
        name="gemini", model="gemini/gemini-2.5-flash", api_key_env="GEMINI_API_KEY"
    )
    with pytest.raises(BackendError, match="GEMINI_API_KEY"):
        gemini.engine()


def test_streaming_counts_and_completes() -> None:
    ledger = Ledger()
    with LMServer(fields(answer="yes", sure=True)) as server:
        lm = backend(server).lm("writer", ledger)
        from dspy.lm15 import Message, Request

        events = list(lm.engine.stream(Request(model=lm.model, messages=(Message.user("hi"),))))
    assert events[-1].type == "end"
    assert ledger.usage().calls == 1
