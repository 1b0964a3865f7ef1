"""Any causal LM of transformers, in this process.

The prompt is read once and its keys and values are kept; the continuations are then read in
batches on top of them, padded on the right: a causal model cannot see what stands to the right, so
that the padding changes nothing, whichever side the tokenizer would choose. The last token of a
continuation is only predicted, never read.
"""

from __future__ import annotations

import copy
import functools
import threading
from collections.abc import Callable, Sequence
from typing import Any, NamedTuple

from modules.perplexity.released import released_perplexities
from modules.perplexity.tokens import Fallback, Tokens, load_tokenizer, unloadable
from modules.perplexity.types import Part, Reading
from modules.perplexity.window import check_window
from signatures.errors import BackendError


class _Loaded(NamedTuple):
    tokens: Tokens
    model: Any


class _Weights:
    """A model's weights, once loaded, and whose turn it is."""

    def __init__(self) -> None:
        self.lock = threading.Lock()
        self.model: Any = None
        self.missing: BackendError | None = None


@functools.cache
def _weights(model: str, device: str | None, dtype: str) -> _Weights:
    """The one copy in this process."""
    return _Weights()


class LocalEvaluator:
    """Reads with a causal LM; one text at a time, weights loaded at the first.

    Args:
        model: Hub name or folder of a causal LM with a tokenizer.
        name: The evaluator's identity.
        device: A torch device, or None for a GPU where there is one.
        dtype: The dtype of the weights; the loss is always in float32.
        window: A limit below the model's own, or None.
        batch_size: Continuations read at once.
        fallback: What stands in for a chat template where the tokenizer has none.
    """

    def __init__(
        self,
        model: str,
        *,
        name: str,
        device: str | None = None,
        dtype: str = "float32",
        window: int | None = None,
        batch_size: int = 8,
        fallback: Fallback = "plain",
    ) -> None:
        self._model = model
        self._name = name
        self._device = device
        self._dtype = dtype
        self._window = window
        self._batch_size = batch_size
        self._fallback = fallback
        self._weights = _weights(model, device, dtype)
        self._tokens: Tokens | None = None

    @property
    def name(self) -> str:
        """As given."""
        return self._name

    def warm(self) -> None:
        """Load tokenizer and weights."""
        with self._weights.lock:
            self._load()

    def read(self, text: str, continuations: Sequence[str]) -> Reading:
        """How likely each continuation is after ``text``; one pass over ``text`` for all."""
        with self._weights.lock:
            tokens, model = self._load()
            prefix = tokens.prefix(text)
            parts = [tokens.quoted(part) for part in continuations]
            check_window(len(prefix), [len(part) for part in parts], self._limit(model))
            sums = _nll(model, prefix, parts, self._batch_size)
        return Reading(
            prefix_tokens=len(prefix),
            template=tokens.template,
            parts=tuple(
                Part(tokens=len(part), nll=nll) for part, nll in zip(parts, sums, strict=True)
            ),
        )

    def head(self, text: str, tokens: int) -> str:
        """The first ``tokens`` tokens of ``text``."""
        with self._weights.lock:
            return self._tokenizer().head(text, tokens)

    def count(self, text: str) -> int | None:
        """How many tokens ``text`` has by itself."""
        with self._weights.lock:
            return len(self._tokenizer().quoted(text))

    def released(self, text: str, continuations: Sequence[str]) -> list[float]:
        """The perplexities as DebateQA's released script computes them."""
        with self._weights.lock:
            tokens, model = self._load()
            return released_perplexities(
                model, tokens, text, continuations, window=self._limit(model)
            )

    def _limit(self, model: Any) -> int | None:
        own = getattr(model.config.get_text_config(), "max_position_embeddings", None)
        limits = [limit for limit in (own, self._window) if limit is not None]
        return min(limits, default=None)

    def _tokenizer(self) -> Tokens:
        if self._tokens is None:
            tokenizer = self._there(lambda: load_tokenizer(self._model))
            self._tokens = Tokens(tokenizer, self._fallback)
        return self._tokens

    def _load(self) -> _Loaded:
        tokens = self._tokenizer()
        if self._weights.model is None:
            self._weights.model = self._there(self._weights_loaded)
        return _Loaded(tokens, self._weights.model)

    def _there(self, load: Callable[[], Any]) -> Any:
        """What ``load`` returns; a hub out of reach is asked once, not again for each text."""
        if self._weights.missing is not None:
            raise self._weights.missing
        try:
            return load()
        except BackendError as error:
            self._weights.missing = error
            raise

    def _weights_loaded(self) -> Any:
        import torch
        from transformers import AutoModelForCausalLM

        device = self._device or ("cuda" if torch.cuda.is_available() else "cpu")
        try:
            model = AutoModelForCausalLM.from_pretrained(self._model, dtype=self._dtype)
        except (OSError, ValueError) as error:
            raise unloadable(self._model, error) from error
        return model.to(device).eval()


def _nll(model: Any, prefix: list[int], parts: list[list[int]], batch_size: int) -> list[float]:
    """The summed negative log-likelihood of each part after the prefix, in nats."""
    import torch

    with torch.inference_mode():
        start = torch.tensor([prefix], device=model.device)
        read = model(input_ids=start, use_cache=True, logits_to_keep=1)
        first = torch.log_softmax(read.logits[0, -1].float(), dim=-1)
        sums = [-float(first[part[0]]) for part in parts]
        # Parts of like length together, so that little is padding.
        order = sorted((n for n in range(len(parts)) if len(parts[n]) > 1), key=_by_length(parts))
        batches = [order[at : at + batch_size] for at in range(0, len(order), batch_size)]
        for number, batch in enumerate(batches, start=1):
            kept = read.past_key_values
            cache = kept if number == len(batches) else copy.deepcopy(kept)
            rest = _batch(model, cache, len(prefix), [parts[n] for n in batch])
            for n, nll in zip(batch, rest, strict=True):
                sums[n] += nll
    return sums


def _by_length(parts: list[list[int]]) -> Any:
    return lambda n: (len(parts[n]), n)


def _batch(model: Any, cache: Any, n_prefix: int, parts: list[list[int]]) -> list[float]:
    """For each part, the loss of all its tokens but the first, given the prefix's cache."""
    import torch

    width = max(len(part) for part in parts) - 1
    ids = torch.zeros((len(parts), width), dtype=torch.long)
    seen = torch.zeros((len(parts), n_prefix + width), dtype=torch.long)
    seen[:, :n_prefix] = 1
    for row, part in enumerate(parts):
        ids[row, : len(part) - 1] = torch.tensor(part[:-1])
        seen[row, n_prefix : n_prefix + len(part) - 1] = 1
    cache.batch_repeat_interleave(len(parts))
    device = model.device
    logits = model(
        input_ids=ids.to(device),
        attention_mask=seen.to(device),
        position_ids=torch.arange(n_prefix, n_prefix + width, device=device)[None],
        past_key_values=cache,
        use_cache=True,
    ).logits  # (n, width, vocabulary)
    found = []
    for row, part in enumerate(parts):
        # A row at a time, in float32: a copy of all logits would be the peak of the memory.
        wanted = torch.tensor(part[1:], device=device)
        loss = torch.nn.functional.cross_entropy(
            logits[row, : len(part) - 1].float(), wanted, reduction="none"
        )
        found.append(float(loss.double().sum()))
    return found


__all__ = ["LocalEvaluator"]
