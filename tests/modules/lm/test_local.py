"""A transformers model in this process: tiny, random, built on the spot."""

from __future__ import annotations

from pathlib import Path

import dspy
import pytest

from modules.lm.ask import Ask
from modules.lm.backends import LocalBackend
from modules.lm.ledger import Ledger
from signatures.errors import BackendError, ReplyError

END = "<end>"
TEMPLATE = "{% for m in messages %}<{{ m.role }}>{{ m.content }}{% endfor %}<assistant>"


@pytest.fixture(scope="module")
def model(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A random GPT-2 of two layers with a byte-level tokenizer and a chat template."""
    from tokenizers import Tokenizer, decoders, models, pre_tokenizers
    from transformers import GPT2Config, GPT2LMHeadModel, PreTrainedTokenizerFast

    folder = tmp_path_factory.mktemp("model")
    alphabet = sorted(pre_tokenizers.ByteLevel.alphabet())
    vocabulary = {token: number for number, token in enumerate([END, *alphabet])}
    raw = Tokenizer(models.BPE(vocab=vocabulary, merges=[]))
    raw.pre_tokenizer = pre_tokenizers.ByteLevel(add_prefix_space=False)
    raw.decoder = decoders.ByteLevel()
    tokenizer = PreTrainedTokenizerFast(tokenizer_object=raw, eos_token=END)
    tokenizer.chat_template = TEMPLATE
    tokenizer.save_pretrained(folder)
    config = GPT2Config(
        vocab_size=len(vocabulary), n_positions=8192, n_embd=16, n_layer=2, n_head=2,
        bos_token_id=0, eos_token_id=0,
    )  # fmt: skip
    GPT2LMHeadModel(config).save_pretrained(folder)
    return folder


def ask(model: Path, ledger: Ledger, *, seed: int = 0, replicate: int = 0) -> str:
    lm = LocalBackend(name="local", model=str(model), max_tokens=12, temperature=1.0).lm(
        "writer", ledger, seed=seed, replicate=replicate
    )
    lm.cache = False
    return str(lm("Say something.")[0])


def test_it_generates_and_counts_tokens(model: Path) -> None:
    ledger = Ledger()
    ask(model, ledger)
    usage = ledger.usage()
    assert usage.calls == 1
    assert usage.input_tokens == len("<user>Say something.<assistant>")
    assert 1 <= usage.output_tokens <= 12
    assert usage.usd == 0.0


def test_a_seed_decides(model: Path) -> None:
    first, again = (ask(model, Ledger(), seed=1) for _ in range(2))
    assert first == again
    assert ask(model, Ledger(), seed=2) != first
    assert ask(model, Ledger(), seed=1, replicate=1) != first


def test_gibberish_ends_as_a_counted_failure(model: Path) -> None:
    ledger = Ledger()
    lm = LocalBackend(name="local", model=str(model), max_tokens=8).lm("writer", ledger)
    lm.cache = False
    with dspy.context(lm=lm), pytest.raises(ReplyError):
        Ask("question -> answer: list[int]", attempts=2)(question="?")
    assert ledger.usage().calls == 4


def test_a_model_that_is_not_there_is_said(tmp_path: Path) -> None:
    lm = LocalBackend(name="local", model=str(tmp_path / "none")).lm("writer", Ledger())
    lm.cache = False
    with dspy.context(lm=lm), pytest.raises(BackendError, match="cannot be loaded"):
        Ask("question -> answer")(question="?")
