"""Tiny random causal LMs with a tokenizer, built on the spot."""

from __future__ import annotations

from pathlib import Path
from typing import Any

END, BEGIN = "<end>", "<begin>"
TEMPLATE = (
    "<begin>{% for m in messages %}<{{ m.role }}>{{ m.content }}{% endfor %}"
    "{% if add_generation_prompt %}<assistant>{% endif %}"
)
WINDOW = 256


def tokenizer(*, template: str | None = None, bos: bool = False) -> Any:
    """A byte-level tokenizer: each byte of a text is a token."""
    from tokenizers import Tokenizer, decoders, models, pre_tokenizers, processors
    from transformers import PreTrainedTokenizerFast

    alphabet = sorted(pre_tokenizers.ByteLevel.alphabet())
    vocabulary = {token: number for number, token in enumerate([END, BEGIN, *alphabet])}
    raw = Tokenizer(models.BPE(vocab=vocabulary, merges=[]))
    raw.pre_tokenizer = pre_tokenizers.ByteLevel(add_prefix_space=False)
    raw.decoder = decoders.ByteLevel()
    if bos:
        raw.post_processor = processors.TemplateProcessing(
            single=f"{BEGIN} $A", special_tokens=[(BEGIN, 1)]
        )
    made = PreTrainedTokenizerFast(
        tokenizer_object=raw, eos_token=END, bos_token=BEGIN, model_max_length=WINDOW
    )
    made.chat_template = template
    return made


def gpt2(folder: Path, **options: Any) -> Path:
    """A random GPT-2 of two layers; without a chat template unless given one."""
    import torch
    from transformers import GPT2Config, GPT2LMHeadModel

    torch.manual_seed(0)
    made = tokenizer(**options)
    made.save_pretrained(folder)
    config = GPT2Config(
        vocab_size=len(made), n_positions=WINDOW, n_embd=32, n_layer=2, n_head=4,
        bos_token_id=1, eos_token_id=0, initializer_range=0.4,
    )  # fmt: skip
    GPT2LMHeadModel(config).save_pretrained(folder)
    return folder


def qwen2(folder: Path) -> Path:
    """A random Qwen2 of two layers: rotary positions, shared keys and values, a chat template."""
    import torch
    from transformers import Qwen2Config, Qwen2ForCausalLM

    torch.manual_seed(1)
    made = tokenizer(template=TEMPLATE)
    made.save_pretrained(folder)
    config = Qwen2Config(
        vocab_size=len(made), max_position_embeddings=WINDOW, hidden_size=32,
        intermediate_size=64, num_hidden_layers=2, num_attention_heads=4, num_key_value_heads=2,
        bos_token_id=1, eos_token_id=0, initializer_range=0.4,
    )  # fmt: skip
    Qwen2ForCausalLM(config).save_pretrained(folder)
    return folder


class Plain:
    """One pair at a time, without cache, batch or padding: what ours must equal."""

    def __init__(self, folder: Path) -> None:
        from transformers import AutoModelForCausalLM, AutoTokenizer

        self.tokenizer = AutoTokenizer.from_pretrained(folder)
        self.model = AutoModelForCausalLM.from_pretrained(folder, dtype="float32").eval()

    def ids(self, text: str) -> list[int]:
        """The tokens of a text, no special one added."""
        return list(self.tokenizer(text, add_special_tokens=False)["input_ids"])

    def logprobs(self, ids: list[int]) -> list[float | None]:
        """The log-probability of each token given those before it; None for the first."""
        import torch

        with torch.no_grad():
            logits = self.model(input_ids=torch.tensor([ids])).logits[0].double()
        told = torch.log_softmax(logits, dim=-1)
        return [None, *(float(told[at - 1, ids[at]]) for at in range(1, len(ids)))]

    def nll(self, prefix: list[int], part: list[int]) -> float:
        """The summed negative log-likelihood of ``part`` after ``prefix``."""
        return -sum(v for v in self.logprobs([*prefix, *part])[len(prefix) :] if v is not None)
