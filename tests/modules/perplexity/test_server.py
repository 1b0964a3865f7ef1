"""The evaluator behind HTTP against the same model in this process."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path

import pytest

from modules.lm.ledger import Budget, Ledger
from modules.perplexity import Evaluator, LocalEvaluatorSpec, ServerEvaluatorSpec
from signatures.errors import BackendError, BudgetReached, ConfigError, InputError, OutageError
from tests.modules.perplexity.tiny import Plain, gpt2, qwen2
from tests.servers.completions import PromptRead
from tests.servers.lm import LMServer, Reply

TEXT = "Museums cost money. Please restate."
PARTS = ["Free entry brings schools.", "N", "Who pays, dürfen wir fragen?"]


@pytest.fixture(scope="module", params=[gpt2, qwen2], ids=["gpt2", "qwen2"])
def model(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder: Path = request.param(tmp_path_factory.mktemp("model"))
    return folder


@pytest.fixture
def server(model: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[LMServer]:
    monkeypatch.setenv("EVALUATOR_KEY", "secret")
    plain = Plain(model)

    def reader(prompt: str | list[int]) -> PromptRead:
        ids = plain.ids(prompt) if isinstance(prompt, str) else prompt
        tokens = [plain.tokenizer.decode([token]) for token in ids]
        return PromptRead(ids, tokens, plain.logprobs(ids))

    with LMServer(models=("tiny",), api_key="secret") as running:
        running.reader = reader
        yield running
    assert running.errors == []


def opened(server: LMServer, ledger: Ledger | None = None, **options: object) -> Evaluator:
    spec = {"model": "tiny", "base_url": server.base_url, "api_key_env": "EVALUATOR_KEY"}
    return ServerEvaluatorSpec.model_validate({**spec, "retries": 0, **options}).open(ledger)


@pytest.mark.parametrize("wire", ["echo", "prompt_logprobs"])
def test_it_equals_the_local_evaluator(model: Path, server: LMServer, wire: str) -> None:
    here = LocalEvaluatorSpec(model=str(model)).open().read(TEXT, PARTS)
    ledger = Ledger()
    there = opened(server, ledger, wire=wire, tokenizer=str(model)).read(TEXT, PARTS)
    assert (there.prefix_tokens, there.template) == (here.prefix_tokens, here.template)
    for one, two in zip(here.parts, there.parts, strict=True):
        assert two.tokens == one.tokens
        assert two.nll == pytest.approx(one.nll, abs=1e-3)
    assert len(server.completions) == 1
    wanted = sum(there.prefix_tokens + part.tokens for part in there.parts)
    assert ledger.usage().input_tokens == wanted
    if there.template == "chat":
        return
    # Without the tokenizer the prompt goes as text; "plain" is then the only template.
    told = opened(server, wire=wire).read(TEXT, PARTS)
    assert told.prefix_tokens == there.prefix_tokens
    assert [part.nll for part in told.parts] == pytest.approx([p.nll for p in there.parts])


def test_a_token_across_the_border_is_the_continuations(model: Path, server: LMServer) -> None:
    def reader(prompt: str | list[int]) -> PromptRead:
        tokens = re.findall(r"\n\nF?|[^\n ]+ ?", str(prompt))
        return PromptRead(
            [hash(token) for token in tokens], tokens, [None] + [-1.0] * (len(tokens) - 1)
        )

    server.reader = reader
    read = opened(server).read(TEXT, ["Free."])
    assert read.parts[0].tokens == 2
    assert read.parts[0].nll == 2.0


def test_what_goes_wrong_is_told_apart(model: Path, server: LMServer) -> None:
    evaluator = opened(server)
    for status, kind in ((400, InputError), (429, OutageError), (500, OutageError)):
        server.script_completions(Reply("longer than the model's window", status=status))
        with pytest.raises(kind, match="longer than"):
            evaluator.read(TEXT, PARTS)
    with pytest.raises(BackendError):
        opened(server, api_key_env=None).read(TEXT, PARTS)
    with pytest.raises(InputError, match="at most 40 tokens"):
        opened(server, window=40, tokenizer=str(model)).read(TEXT, PARTS)
    with pytest.raises(ConfigError, match=r"evaluator\.tokenizer"):
        evaluator.head(TEXT, 3)
    with pytest.raises(ConfigError, match="local model"):
        evaluator.released(TEXT, PARTS)
    server.reader = lambda prompt: PromptRead(
        [0] * len(prompt), list(str(prompt)), [None] + [float("-inf")] * (len(prompt) - 1)
    )
    with pytest.raises(BackendError, match="log-probability"):
        evaluator.read(TEXT, PARTS)
    with pytest.raises(BudgetReached):
        opened(server, Ledger(budget=Budget(calls=0))).read(TEXT, PARTS)
    server.errors.clear()
