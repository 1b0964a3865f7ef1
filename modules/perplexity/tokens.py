"""From texts to token ids: chat template, its fallback, and the beginning-of-sequence token."""

from __future__ import annotations

from typing import Any, Literal

from signatures.errors import BackendError

Fallback = Literal["plain", "eos"]
"""What stands in for a chat template where a tokenizer has none.

``plain`` ends the message with an empty line. ``eos`` ends it with the end-of-text token, which is
what transformers before 4.44 did for such tokenizers: to GPT-2 that token says that what follows
has nothing to do with what came before.
"""


def load_tokenizer(name: str) -> Any:
    """The tokenizer of a model, by hub name or folder.

    Raises:
        BackendError: There is none.
    """
    from transformers import AutoTokenizer

    try:
        return AutoTokenizer.from_pretrained(name)
    except (OSError, ValueError) as error:
        raise unloadable(name, error) from error


def unloadable(name: str, error: Exception) -> BackendError:
    """What to say of a model or tokenizer that is not there."""
    return BackendError(
        f"the evaluator {name!r} cannot be loaded",
        got=(str(error).strip().splitlines() or [type(error).__name__])[0][:200],
        remedy="set evaluator.model to a hub name or a folder with weights and tokenizer",
    )


PLACE = "(the text)"
"""Where a text goes in a template that is tokenized around it."""


class Tokens:
    """A tokenizer, and how a prompt is put together for it.

    Prompt and continuation are tokenized apart, so that all continuations share one prefix. A text
    that spells a special token (``<|im_end|>``) is read as those characters: it ends no turn.
    """

    def __init__(self, tokenizer: Any, fallback: Fallback) -> None:
        self.tokenizer = tokenizer
        self._fallback = fallback

    @property
    def template(self) -> str:
        """``chat``, or the name of the fallback."""
        return "chat" if self.tokenizer.chat_template else self._fallback

    def prefix(self, text: str) -> list[int]:
        """The prompt that has ``text`` as the user's message and asks for the reply.

        A chat template brings its own beginning-of-sequence token; without one it is put first
        where the tokenizer would put it.
        """
        if self.tokenizer.chat_template:
            return self._in_template(text)
        if self._fallback == "plain":
            return [*self._bos(), *self.quoted(f"{text}\n\n")]
        eos = self.tokenizer.eos_token_id
        return [*self._bos(), *self.quoted(text), *([] if eos is None else [eos])]

    def chat(self, text: str, *, reply: bool) -> str:
        """``text`` in the chat template; ``reply`` opens the assistant's turn."""
        return str(
            self.tokenizer.apply_chat_template(
                [{"role": "user", "content": text}], tokenize=False, add_generation_prompt=reply
            )
        )

    def quoted(self, text: str) -> list[int]:
        """The tokens of a text that is data: none of them special, and none added."""
        return self.ids(text, split_special_tokens=True)

    def ids(self, text: str, **options: Any) -> list[int]:
        """The tokens of a text, special ones where it spells them, and none added."""
        # verbose: a text longer than the tokenizer's limit is our caller's to refuse, in words.
        found = self.tokenizer(text, add_special_tokens=False, verbose=False, **options)
        return [int(token) for token in found["input_ids"]]

    def head(self, text: str, tokens: int) -> str:
        """The first ``tokens`` tokens of ``text``, cut where the last of them ends."""
        found = self.quoted(text)
        if len(found) <= tokens:
            return text
        if self.tokenizer.is_fast:
            spans = self.tokenizer(
                text, add_special_tokens=False, return_offsets_mapping=True, verbose=False,
                split_special_tokens=True,
            )  # fmt: skip
            return text[: spans["offset_mapping"][tokens - 1][1]]
        return str(self.tokenizer.decode(found[:tokens]))

    def _in_template(self, text: str) -> list[int]:
        """The chat template around ``text``, tokenized as one unless ``text`` spells its tokens."""
        special = {*self.tokenizer.all_special_tokens, *self.tokenizer.get_added_vocab()}
        if not any(token in text for token in special):
            return self.ids(self.chat(text, reply=True))
        before, _, after = self.chat(PLACE, reply=True).partition(PLACE)
        return [*self.ids(before), *self.quoted(text), *self.ids(after)]

    def _bos(self) -> list[int]:
        own = self.tokenizer("a")["input_ids"]
        bos = self.tokenizer.bos_token_id
        return [bos] if bos is not None and own[:1] == [bos] else []


__all__ = ["Fallback", "Tokens", "load_tokenizer", "unloadable"]
