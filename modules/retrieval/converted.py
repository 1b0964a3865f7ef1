"""The default embedder in OpenVINO: the sentence-transformers pipeline, converted once.

It is the same computation in float32, in half of torch's time, and loads without importing torch.
"""

from __future__ import annotations

import logging
import os
import queue
import sys
import warnings
from collections import deque
from collections.abc import Sequence
from contextlib import ExitStack
from pathlib import Path
from typing import Any

import numpy as np

from modules.retrieval.embed import BATCH, Vectors
from modules.retrieval.minilm import SHA256, MiniLM, verified


class ConvertedMiniLM(MiniLM):
    """:class:`MiniLM`, run by OpenVINO.

    >>> ConvertedMiniLM(Path("artifacts/cache/openvino")).encode(["Free museums."]).shape
    (1, 384)

    Args:
        cache: The folder that keeps the converted model, 90 MB; written once.
        batch_size: Texts of similar length at once.
    """

    def __init__(self, cache: Path, *, batch_size: int = BATCH) -> None:
        super().__init__(batch_size=batch_size)
        self._cache = cache
        self._idle: queue.SimpleQueue[Any] | None = None

    def warm(self) -> None:
        self._requests()

    def _forward(self, parts: Sequence[str]) -> Vectors:
        idle, tokenizer = self._requests(), self._counter()
        encoded = tokenizer.encode_batch_fast(list(parts))
        order = sorted(range(len(parts)), key=lambda i: len(encoded[i].ids))
        vectors = np.zeros((len(parts), self.dimension), dtype=np.float32)
        under_way: deque[tuple[list[int], Any]] = deque()

        def first_done() -> Any:
            batch, request = under_way.popleft()
            request.wait()
            vectors[batch] = request.get_output_tensor(0).data
            return request

        with ExitStack() as held:
            for start in range(0, len(order), self._batch_size):
                batch = order[start : start + self._batch_size]
                try:
                    request = idle.get(block=not under_way)
                    held.callback(idle.put, request)
                except queue.Empty:
                    # Whoever holds requests never waits for another's: it takes its own again.
                    request = first_done()
                under_way.append((batch, request))
                request.start_async(_padded([encoded[i].ids for i in batch]))
            while under_way:
                first_done()
        return vectors

    def _requests(self) -> queue.SimpleQueue[Any]:
        """The requests that may run at once, one for each of OpenVINO's streams.

        A stream is a core or more: a few short texts, as a search or a check has them, cost half as
        much on one core as on all of them at once, and others' go on meanwhile.
        """
        with self._lock:
            if self._idle is None:
                openvino, path = openvino_quietly(), self._converted()
                # Some processors would pick bfloat16: the index must not depend on the machine.
                settings = {"INFERENCE_PRECISION_HINT": "f32", "PERFORMANCE_HINT": "THROUGHPUT"}
                compiled = openvino.Core().compile_model(str(path), "CPU", settings)
                # Its first array initialises a C++ static that asks for the GIL: two threads that
                # make theirs at once would wait for each other for ever.
                _ = openvino.Tensor(np.zeros(1, dtype=np.float32)).data
                idle: queue.SimpleQueue[Any] = queue.SimpleQueue()
                for _ in range(compiled.get_property("OPTIMAL_NUMBER_OF_INFER_REQUESTS")):
                    idle.put(compiled.create_infer_request())
                self._idle = idle
            return self._idle

    def _converted(self) -> Path:
        """The converted model's file; made from the checked weights if it is not there."""
        import filelock

        release = openvino_quietly().get_version().split("-")[0]
        path = self._cache / f"minilm-{SHA256[:8]}-{release}.xml"
        self._cache.mkdir(parents=True, exist_ok=True)
        with filelock.FileLock(self._cache / "convert.lock"):
            if not path.exists():
                verified()
                logging.disable(logging.WARNING)  # the tracer's and transformers' small talk
                try:
                    _convert(self._loaded(), path)
                finally:
                    logging.disable(logging.NOTSET)
                self._model = None  # torch's copy has served
        return path


def openvino_quietly() -> Any:
    """The library, silenced: importing it would report to its makers and leave an id at home.

    Where its telemetry package cannot be imported it uses a stub of its own.
    """
    sys.modules.setdefault("openvino_telemetry", None)  # type: ignore[arg-type]  # blocks the import
    import openvino

    return openvino


def _padded(ids: Sequence[Sequence[int]]) -> dict[str, Any]:
    """Token ids and mask, each ``(n, longest)`` int64, padded with zeros."""
    width = max(len(row) for row in ids)
    tokens = np.zeros((len(ids), width), dtype=np.int64)
    mask = np.zeros_like(tokens)
    for i, row in enumerate(ids):
        tokens[i, : len(row)] = row
        mask[i, : len(row)] = 1
    return {"input_ids": tokens, "attention_mask": mask}


def _convert(model: Any, path: Path) -> None:
    """Trace the pipeline (transformer, pooling, normalisation); write it whole or not at all."""
    openvino = openvino_quietly()
    import torch
    from openvino.frontend import FrontEndManager
    from openvino.frontend.pytorch.ts_decoder import TorchScriptPythonDecoder

    class Pipeline(torch.nn.Module):
        def __init__(self) -> None:
            super().__init__()
            self.model = model

        def forward(self, input_ids: Any, attention_mask: Any) -> Any:
            given = {"input_ids": input_ids, "attention_mask": attention_mask}
            return self.model(given)["sentence_embedding"]

    sample = {name: torch.ones(2, 8, dtype=torch.int64) for name in ("input_ids", "attention_mask")}
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # the tracer's remarks on shapes it takes for constants
        decoder = TorchScriptPythonDecoder(Pipeline().eval(), example_input=sample)
    frontend = FrontEndManager().load_by_framework("pytorch")
    draft = path.with_name(f"draft-{os.getpid()}.xml")
    openvino.save_model(frontend.convert(frontend.load(decoder)), draft, compress_to_fp16=False)
    draft.with_suffix(".bin").replace(path.with_suffix(".bin"))
    draft.replace(path)


__all__ = ["ConvertedMiniLM", "openvino_quietly"]
