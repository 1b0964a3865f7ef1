"""P.D. as DebateQA's released script computes it, faults included.

It differs from S4's Equation 1: the loss of the partial answer is divided by the tokens of prompt
and partial answer together; what exceeds the tokenizer's limit is cut off on the right, so that a
long answer leaves no partial answer to be read and scores a perfect 1; the message is the answer
alone, without a request to restate it, and without an opened reply; with a tokenizer that pads on
the left the mask covers the padding instead of the answer. A tokenizer without a chat template is
given what transformers gave it then: the message and the end-of-text token.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from modules.perplexity.tokens import Tokens
from signatures.errors import ConfigError, InputError

BATCH = 20
"""The script's; a batch's padding matters where it is on the left."""


def released_perplexities(
    model: Any, tokens: Tokens, text: str, continuations: Sequence[str], *, window: int | None
) -> list[float]:
    """The script's perplexity of each continuation after ``text``.

    Raises:
        ConfigError: The tokenizer has no end-of-text token, which the script pads with.
        InputError: The text exceeds the model's window though not the tokenizer's limit.
    """
    tokenizer = tokens.tokenizer
    if tokenizer.eos_token is None:
        raise ConfigError("pd_released needs a tokenizer with an end-of-text token")
    tokenizer.pad_token = tokenizer.eos_token
    has_own = bool(tokenizer.chat_template)
    prompt = tokens.chat(text, reply=False) if has_own else text + tokenizer.eos_token
    found: list[float] = []
    for at in range(0, len(continuations), BATCH):
        found += _batch(model, tokens, prompt, continuations[at : at + BATCH], window)
    return found


def _batch(
    model: Any, tokens: Tokens, prompt: str, continuations: Sequence[str], window: int | None
) -> list[float]:
    import torch

    read = tokens.tokenizer(
        [prompt + part for part in continuations],
        return_tensors="pt", padding=True, truncation=True,
    )  # fmt: skip
    ids, mask = read["input_ids"], read["attention_mask"]
    if window is not None and ids.shape[1] > window:
        raise InputError(
            "the released script cannot read this either",
            expected=f"at most {window} tokens, or a tokenizer that cuts there",
            got=f"{ids.shape[1]} tokens",
        )
    labels = ids.clone()
    labels[:, : len(tokens.ids(prompt))] = -100
    with torch.inference_mode():
        logits = model(input_ids=ids.to(model.device), attention_mask=mask.to(model.device)).logits
        loss = torch.nn.functional.cross_entropy(
            logits[:, :-1].float().flatten(0, 1),
            labels[:, 1:].flatten().to(model.device),
            reduction="none",
        ).view(len(continuations), -1)
        counted = mask[:, 1:].to(model.device)
        perplexities = torch.exp((loss * counted).sum(dim=1) / counted.sum(dim=1))
    return [float(value) for value in perplexities]


__all__ = ["released_perplexities"]
