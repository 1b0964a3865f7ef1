"""Cross-encoders: MiniLM fine-tuned to read a claim and a text together.

One reads claim and text in one pass and says two things: whether the text is for the claim, and
whether it is about it at all. Several seeds are averaged. Only the layers that were trained are
kept; embeddings and lower layers are the base's.
"""

from __future__ import annotations

import copy
import threading
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor, nn

from modules.retrieval.embed import quiet
from modules.retrieval.minilm import SHA256, tokenizer, verified
from signatures.errors import BackendError

if TYPE_CHECKING:
    from tokenizers import Tokenizer

FROZEN = 2
"""Lower layers that stay as they are: they hold what words mean, and training them costs time."""
WINDOW = 96
"""Word pieces of claim and text together; more are cut off the longer of the two."""
BATCH = 16
"""Pairs scored at once: on one core faster than more."""
KEPT = 50_000
"""Pairs whose logits are remembered: searches on one subject read the same sentences."""

_CLAIM, _TEXT = 0, 1


class CrossEncoder(nn.Module):
    """A transformer over "[CLS] claim [SEP] text [SEP]" and two logits on top.

    The logits read the first token, the mean of the claim's tokens, that of the text's, and the
    product of these two.

    Args:
        base: A BERT of ``transformers``, without its pooler.
        frozen: How many of its lower layers stay as they are.
    """

    def __init__(self, base: Any, frozen: int = FROZEN) -> None:
        super().__init__()
        self.base = base
        self.head = nn.Linear(4 * base.config.hidden_size, 2)
        self._frozen = frozen
        for part in self.fixed():
            part.requires_grad_(False)

    def forward(self, encoded: dict[str, Tensor]) -> Tensor:
        """``(n, longest)`` ids, mask and segments to ``(n, 2)``: stance, relevance."""
        states = self.base(**encoded).last_hidden_state
        segments, mask = encoded["token_type_ids"], encoded["attention_mask"]
        claims = _mean(states, mask * (segments == _CLAIM))
        texts = _mean(states, mask * (segments == _TEXT))
        known = torch.cat([states[:, 0], claims, texts, claims * texts], dim=1)
        found: Tensor = self.head(nn.functional.dropout(known.float(), 0.1, self.training))
        return found

    def fixed(self) -> list[nn.Module]:
        """The parts that stay the base's."""
        return [self.base.embeddings, *self.base.encoder.layer[: self._frozen]]

    def trained(self) -> dict[str, Tensor]:
        """The parameters that are not the base's."""
        return {name: value for name, value in self.named_parameters() if value.requires_grad}


def _mean(states: Tensor, mask: Tensor) -> Tensor:
    weights = mask[:, :, None].to(states.dtype)
    return (states * weights).sum(1) / weights.sum(1).clamp(min=1)


def pretrained(frozen: int = FROZEN) -> CrossEncoder:
    """One over MiniLM that has learned nothing yet; the seed of its logits' weights is torch's.

    Raises:
        BackendError: The base is missing, or not the published one.
    """
    from transformers import BertModel
    from transformers.utils import logging

    shown = logging.get_verbosity()
    logging.set_verbosity_error()  # the pooler is left out on purpose
    try:
        with quiet():
            # Plain attention: on short pairs it is faster than the fused kernels.
            base = BertModel.from_pretrained(
                str(verified()), add_pooling_layer=False, attn_implementation="eager"
            )
    finally:
        logging.set_verbosity(shown)
    return CrossEncoder(base, frozen)


def save(model: CrossEncoder, path: Path, about: dict[str, str]) -> None:
    """Write what was trained, in float16, whole or not at all.

    Args:
        model: A trained one.
        path: The file.
        about: Kept with it; see :func:`about`.
    """
    from safetensors.torch import save_file

    draft = path.with_suffix(".part")
    halves = {name: value.detach().half().cpu() for name, value in model.trained().items()}
    save_file(halves, draft, {"base": SHA256, **about})
    draft.replace(path)


def about(path: Path) -> dict[str, str]:
    """What a file tells of itself: its base, and what :func:`save` was told."""
    from safetensors import safe_open

    with safe_open(path, "pt") as file:
        found: dict[str, str] = file.metadata() or {}
    return found


class CrossEncoders:
    """Several cross-encoders over one base. Thread-safe.

    Args:
        paths: Their files.

    Raises:
        BackendError: A file cannot be read, or belongs to another base.
    """

    def __init__(self, paths: Sequence[Path]) -> None:
        plain = pretrained()
        shared = {id(part): part for part in plain.fixed()}  # held once for all
        self._models = []
        for path in paths:
            model = copy.deepcopy(plain, dict(shared))
            _fill(model, path)
            self._models.append(model.eval())
        self._pairs = Pairs(tokenizer(verified()))
        self._lock = threading.Lock()
        self._known: dict[tuple[str, str], NDArray[np.float64]] = {}

    def logits(self, pairs: Sequence[tuple[str, str]]) -> NDArray[np.float64]:
        """``(n,)`` pairs (claim, text) to ``(n_models, n, 2)``: stance and relevance."""
        with self._lock:
            new = [pair for pair in dict.fromkeys(pairs) if pair not in self._known]
            for pair, own in zip(new, self._read(new), strict=True):
                self._known[pair] = own
            found = np.array([self._known[pair] for pair in pairs])
            if len(self._known) > KEPT:
                self._known.clear()
        return np.swapaxes(found.reshape(len(pairs), len(self._models), 2), 0, 1)

    def _read(self, pairs: Sequence[tuple[str, str]]) -> NDArray[np.float64]:
        """``(n, n_models, 2)``."""
        found = np.zeros((len(pairs), len(self._models), 2))
        encoded = self._pairs.encoded(pairs)
        with torch.inference_mode():
            for batch in batches(encoded, BATCH):
                rows = Pairs.tensors([encoded[i] for i in batch])
                for at, model in enumerate(self._models):
                    found[batch, at] = model(rows).numpy()
        return found


def _fill(model: CrossEncoder, path: Path) -> None:
    """Put a file's parameters into a model over the bare base."""
    from safetensors import SafetensorError
    from safetensors.torch import load_file

    try:
        base, held = about(path).get("base"), load_file(path)
    except (OSError, SafetensorError) as error:
        raise BackendError(
            f"the cross-encoder {path} cannot be read",
            got=str(error).split("\n", 1)[0],
            remedy="train it: python -m evals.stance.train --full --out FOLDER",
        ) from error
    wanted = model.trained()
    shapes = {name: tuple(value.shape) for name, value in wanted.items()}
    if base != SHA256 or {name: tuple(value.shape) for name, value in held.items()} != shapes:
        raise BackendError(
            f"the cross-encoder {path} belongs to another base",
            expected=f"one over sha256 {SHA256} whose lower {FROZEN} layers were left as they are",
            got=f"one over {base}",
            remedy="train it again: python -m evals.stance.train --full --out FOLDER",
        )
    with torch.no_grad():
        for name, value in held.items():
            wanted[name].copy_(value)


class Pairs:
    """Pairs of texts to tensors.

    Args:
        pieces: The base's tokenizer, its own: its settings are changed.
        window: Word pieces of a pair.
    """

    def __init__(self, pieces: Tokenizer, window: int = WINDOW) -> None:
        pieces.enable_truncation(window, strategy="longest_first")
        pieces.no_padding()
        self._tokenizer = pieces

    def encoded(self, pairs: Sequence[tuple[str, str]]) -> list[Any]:
        """``(n,)`` pairs to their tokens."""
        found: list[Any] = self._tokenizer.encode_batch(list(pairs))
        return found

    @staticmethod
    def tensors(rows: Sequence[Any]) -> dict[str, Tensor]:
        """Ids, mask and segments, each ``(n, longest)`` and padded with zeros."""
        width = max(len(row.ids) for row in rows)

        def padded(column: str) -> Tensor:
            values = [getattr(row, column) for row in rows]
            return torch.tensor([value + [0] * (width - len(value)) for value in values])

        return {
            "input_ids": padded("ids"),
            "attention_mask": padded("attention_mask"),
            "token_type_ids": padded("type_ids"),
        }


def batches(rows: Sequence[Any], size: int) -> Iterator[list[int]]:
    """Places of encoded rows, those of like length together."""
    order = sorted(range(len(rows)), key=lambda i: len(rows[i].ids))
    for start in range(0, len(order), size):
        yield order[start : start + size]
