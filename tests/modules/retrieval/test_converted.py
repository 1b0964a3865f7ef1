"""The converted embedder is the same embedder."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

from modules.retrieval import MiniLM
from modules.retrieval.converted import ConvertedMiniLM
from tests.support import ROOT

TEXTS = [
    "Museums should be free.",
    "Entrance fees give museum directors a source of income that they control.",
    "日本語の文章です。",
    "x",
    "A long text on fees and visitors. " * 80,
]


@pytest.fixture(scope="module")
def converted(tmp_path_factory: pytest.TempPathFactory) -> ConvertedMiniLM:
    return ConvertedMiniLM(tmp_path_factory.mktemp("openvino"))


def test_vectors_agree_with_sentence_transformers(converted: ConvertedMiniLM) -> None:
    ours, theirs = converted.encode(TEXTS), MiniLM().encode(TEXTS)
    assert ours.dtype == np.float32
    np.testing.assert_allclose(ours, theirs, atol=2e-6)
    np.testing.assert_allclose(np.linalg.norm(ours, axis=1), 1, atol=1e-5)


def test_batches_and_order_do_not_matter(converted: ConvertedMiniLM) -> None:
    alone = np.concatenate([converted.encode([text]) for text in TEXTS])
    np.testing.assert_allclose(converted.encode(TEXTS), alone, atol=2e-6)


def test_threads_embed_at_once_and_from_the_first_text_on(converted: ConvertedMiniLM) -> None:
    alone = converted.encode(TEXTS * 4)
    converted.warm()
    # In a process of its own: first uses of the library, all at once, must not wait for each other.
    code = (
        "import sys, threading; from pathlib import Path; "
        "from concurrent.futures import ThreadPoolExecutor; import numpy as np; "
        "from modules.retrieval.converted import ConvertedMiniLM; "
        "from tests.modules.retrieval.test_converted import TEXTS; "
        f"model = ConvertedMiniLM(Path({str(converted._cache)!r})); ready = threading.Barrier(8); "
        "found = list(ThreadPoolExecutor(8).map("
        "lambda _: (ready.wait(), model.encode(TEXTS * 4))[1], range(8))); "
        "assert all((one == found[0]).all() for one in found); np.save(sys.argv[1], found[0])"
    )
    path = converted._cache / "found.npy"
    environment = {"PYTHONPATH": str(ROOT)}
    subprocess.run(
        [sys.executable, "-c", code, str(path)], cwd=ROOT, env=environment, check=True, timeout=120
    )
    assert (np.load(path) == alone).all()


def test_an_index_serves_both(converted: ConvertedMiniLM) -> None:
    assert converted.name == MiniLM().name


def test_a_second_process_needs_no_torch(converted: ConvertedMiniLM, tmp_path: Path) -> None:
    converted.warm()
    code = (
        "import sys; from pathlib import Path; "
        "from modules.retrieval.converted import ConvertedMiniLM; "
        f"ConvertedMiniLM(Path({str(converted._cache)!r})).encode(['a']); "
        "print('torch' in sys.modules)"
    )
    environment = {"HOME": str(tmp_path), "PYTHONPATH": str(ROOT)}
    done = subprocess.run(
        [sys.executable, "-c", code], cwd=ROOT, env=environment, capture_output=True, text=True,
        check=True,
    )  # fmt: skip
    assert done.stdout.strip() == "False"
    assert list(tmp_path.iterdir()) == []
