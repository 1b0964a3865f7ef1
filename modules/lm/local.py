"""Any chat model of transformers, in this process."""

from __future__ import annotations

import functools
import threading
from collections.abc import Iterator
from typing import Any

from dspy.lm15 import Message, Request, Response, TextPart, Usage, response_to_events

from signatures.errors import BackendError

DEFAULT_MAX_TOKENS = 1024


class _Weights:
    """A model's weights, once loaded, and whose turn it is: torch's chance is one for all."""

    def __init__(self) -> None:
        self.lock = threading.Lock()
        self.loaded: tuple[Any, Any] | None = None


@functools.cache
def _weights(model: str, device: str | None, dtype: str) -> _Weights:
    """The one copy in this process."""
    return _Weights()


class LocalEngine:
    """Generates with a causal LM; one request at a time, weights loaded at the first.

    Engines of one model share its weights, whatever role or seed they serve.

    Args:
        model: Hub name or folder of a causal LM with a tokenizer.
        device: A torch device, or None for a GPU where there is one.
        dtype: The dtype of the weights.
    """

    def __init__(self, model: str, *, device: str | None, dtype: str) -> None:
        self._name = model
        self._device = device
        self._dtype = dtype
        self._weights = _weights(model, device, dtype)

    def complete(self, request: Request) -> Response:
        with self._weights.lock:
            tokenizer, model = self._load()
            return self._generate(tokenizer, model, request)

    def stream(self, request: Request) -> Iterator[Any]:
        yield from response_to_events(self.complete(request))

    def close(self) -> None:
        """The weights stay: engines of other roles and seeds use them too."""

    def _load(self) -> tuple[Any, Any]:
        if self._weights.loaded is None:
            import torch
            from transformers import AutoModelForCausalLM, AutoTokenizer

            device = self._device or ("cuda" if torch.cuda.is_available() else "cpu")
            try:
                tokenizer = AutoTokenizer.from_pretrained(self._name)
                model = AutoModelForCausalLM.from_pretrained(self._name, dtype=self._dtype)
            except (OSError, ValueError) as error:
                raise BackendError(
                    f"the local model {self._name!r} cannot be loaded",
                    got=str(error).strip().splitlines()[0][:200],
                    remedy="set backend.model to a hub name or a folder with weights and tokenizer",
                ) from error
            self._weights.loaded = tokenizer, model.to(device).eval()
        return self._weights.loaded

    def _generate(self, tokenizer: Any, model: Any, request: Request) -> Response:
        import torch

        config = request.config
        torch.manual_seed(config.seed or 0)
        text = _prompt(tokenizer, request)
        prompt = tokenizer(text, return_tensors="pt", add_special_tokens=False).to(model.device)
        n_prompt = prompt["input_ids"].shape[1]
        limit = config.max_tokens or DEFAULT_MAX_TOKENS
        with torch.inference_mode():
            output = model.generate(
                **prompt,
                **_sampling(config),
                max_new_tokens=limit,
                pad_token_id=tokenizer.pad_token_id or tokenizer.eos_token_id,
            )
        new = output[0, n_prompt:]
        return Response(
            id=None,
            model=request.model,
            message=Message.assistant([TextPart(tokenizer.decode(new, skip_special_tokens=True))]),
            finish_reason="length" if len(new) >= limit else "stop",
            usage=Usage(input_tokens=int(n_prompt), output_tokens=len(new)),
        )


def _sampling(config: Any) -> dict[str, Any]:
    """Greedy at temperature 0, else sampling; an unset temperature is 1."""
    if config.temperature == 0:
        return {"do_sample": False}
    return {
        "do_sample": True,
        "temperature": config.temperature or 1.0,
        "top_p": config.top_p or 1.0,
    }


def _prompt(tokenizer: Any, request: Request) -> str:
    """The chat template's text, or plain paragraphs for a tokenizer without one."""
    system = request.system if isinstance(request.system, str) else ""
    if request.system is not None and not isinstance(request.system, str):
        system = "".join(getattr(part, "text", "") for part in request.system)
    messages = [{"role": "system", "content": system}] if system else []
    messages += [{"role": m.role, "content": m.text or ""} for m in request.messages]
    if tokenizer.chat_template:
        return str(
            tokenizer.apply_chat_template(messages, tokenize=False, add_generation_prompt=True)
        )
    return "\n\n".join(m["content"] for m in messages) + "\n\n"


__all__ = ["LocalEngine"]
