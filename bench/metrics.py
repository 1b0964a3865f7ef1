"""Diversity metrics: agreement with independent implementations, and CPU seconds.

64 propositions with 7 essays of about 300 words each, put together from sentences of the starter
corpus, a topic to a proposition. self-BLEU is compared with nltk called directly, self-Emb with
sentence-transformers' own encode and cosine (on texts within the model's window: beyond it
sentence-transformers cuts them off, and ours pools windows), opinion diversity with a plain loop
over the same points. CPU seconds are of this process, imports and weights loaded beforehand.
"""

from __future__ import annotations

import math
import random
import tempfile
import time
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from evals.contract import Metric, Tools
from evals.diversity import OpinionDiversity, SelfBleu, SelfEmb
from modules.points import built_in
from modules.retrieval import MiniLM
from modules.retrieval.converted import ConvertedMiniLM
from modules.text import sentences

PROPOSITIONS, OUTPUTS, WORDS, SHORT = 64, 7, 300, 100
EMBEDDED = 16  # of the propositions, where embedding is what takes the time


class Timed(NamedTuple):
    """What came out, and the CPU seconds it took."""

    value: Any
    cpu_s: float


class Counted:
    """An embedder that notes the CPU seconds spent in it."""

    def __init__(self, inner: Any) -> None:
        self._inner = inner
        self.name = inner.name
        self.cpu_s = 0.0

    def encode(self, texts: Sequence[str]) -> np.ndarray:
        found = timed(lambda: self._inner.encode(texts))
        self.cpu_s += found.cpu_s
        return np.asarray(found.value)


def main() -> None:
    """Print the figures."""
    essays = rows(WORDS)
    _bleu(essays)
    with tempfile.TemporaryDirectory(prefix="moot-bench-") as folder:
        converted = ConvertedMiniLM(Path(folder))
        converted.encode(["warm"])
        _emb(essays, converted)
        _opinions(essays, converted)


def rows(words: int) -> list[dict[str, Any]]:
    """The rows to score, each text about so many words long."""
    rng = random.Random(0)
    topics = sorted(p for p in Path("data/corpus").iterdir() if p.is_dir())
    pools = [
        [s for doc in sorted(topic.glob("*.md")) for s in sentences(doc.read_text("utf-8"))]
        for topic in topics
    ]
    return [
        {
            "id": str(n),
            "input": topics[n % len(topics)].name.replace("-", " "),
            "outputs": [_essay(pools[n % len(pools)], words, rng) for _ in range(OUTPUTS)],
        }
        for n in range(PROPOSITIONS)
    ]


def timed(work: Callable[[], Any]) -> Timed:
    """Do it once."""
    started = time.process_time()
    value = work()
    return Timed(value, time.process_time() - started)


def _essay(pool: Sequence[str], words: int, rng: random.Random) -> str:
    drawn: list[str] = []
    for sentence in rng.sample(pool, len(pool)):
        if sum(len(s.split()) for s in drawn) >= words:
            break
        drawn.append(sentence)
    return " ".join(drawn)


def _scores(metric: Metric, given: Sequence[dict[str, Any]], tools: Tools) -> list[float]:
    values = [metric.score(row, tools).value for row in given]
    return [math.nan if value is None else value for value in values]


def _apart(ours: Sequence[float], theirs: Sequence[float]) -> float:
    return float(np.max(np.abs(np.asarray(ours) - np.asarray(theirs))))


def _bleu(essays: Sequence[dict[str, Any]]) -> None:
    from nltk.tokenize import wordpunct_tokenize
    from nltk.translate.bleu_score import SmoothingFunction, sentence_bleu

    def direct() -> list[float]:
        found = []
        for row in essays:
            cut = [wordpunct_tokenize(text) for text in row["outputs"]]
            smooth = SmoothingFunction().method1
            found.append(
                100 / len(cut) * sum(
                    sentence_bleu(cut[:i] + cut[i + 1 :], own, smoothing_function=smooth)
                    for i, own in enumerate(cut)
                )
            )  # fmt: skip
        return found

    theirs = timed(direct)
    ours = timed(lambda: _scores(SelfBleu(), essays, Tools()))
    size = np.mean([len(text.split()) for row in essays for text in row["outputs"]])
    print(f"{PROPOSITIONS} x {OUTPUTS} essays of {size:.0f} words on average")
    print(
        f"self_bleu: {ours.cpu_s:.2f} CPU s (nltk directly {theirs.cpu_s:.2f}), "
        f"mean {np.mean(ours.value):.2f}, largest difference {_apart(ours.value, theirs.value):.1e}"
    )


def _emb(essays: Sequence[dict[str, Any]], converted: Any) -> None:
    from sentence_transformers import SentenceTransformer, util

    from modules.retrieval.minilm import verified

    short = rows(SHORT)[:EMBEDDED]
    model = SentenceTransformer(str(verified()), device="cpu", local_files_only=True)
    theirs = []
    for row in short:
        vectors = model.encode(row["outputs"], show_progress_bar=False, convert_to_tensor=True)
        pairs = util.cos_sim(vectors, vectors).cpu().numpy()[np.triu_indices(OUTPUTS, k=1)]
        theirs.append(100 * float(pairs.mean()))
    same = _apart(_scores(SelfEmb(), short, Tools(MiniLM())), theirs)
    openvino = _apart(_scores(SelfEmb(), short, Tools(converted)), theirs)
    counted = Counted(converted)
    ours = timed(lambda: _scores(SelfEmb(), essays[:EMBEDDED], Tools(counted)))
    print(
        f"self_emb: {ours.cpu_s:.1f} CPU s for {EMBEDDED} x {OUTPUTS} essays, "
        f"{counted.cpu_s / ours.cpu_s:.2%} of it in encode; largest difference of a mean cosine to "
        f"sentence-transformers {same / 100:.1e} with torch, {openvino / 100:.1e} with OpenVINO "
        f"({len(short)} x {OUTPUTS} texts within the window)"
    )


def _opinions(essays: Sequence[dict[str, Any]], converted: Any) -> None:
    given = essays[: EMBEDDED // 2]
    counted = Counted(converted)
    ours = timed(lambda: _scores(OpinionDiversity(points="builtin"), given, Tools(counted)))
    theirs = [_by_loops(row, converted) for row in given]
    print(
        f"opinion_diversity, built-in points: {ours.cpu_s:.1f} CPU s for {len(given)} x {OUTPUTS} "
        f"essays, {counted.cpu_s / ours.cpu_s:.1%} of it in encode; "
        f"mean {np.mean(ours.value):.2f}, largest difference to plain loops "
        f"{_apart(ours.value, theirs):.1e}"
    )


def _by_loops(row: dict[str, Any], embedder: Any) -> float:
    """S1's formula, word for word."""
    listed = [built_in(proposition=row["input"], text=text) for text in row["outputs"]]
    vectors = [[embedder.encode([point])[0] for point in points] for points in listed]
    means = []
    for m, own in enumerate(vectors):
        nearest = [
            max(float(o @ v) for k, other in enumerate(vectors) if k != m for v in other)
            for o in own
        ]
        means.append(sum(nearest) / len(nearest))
    return 100 * sum(means) / len(means)


if __name__ == "__main__":
    main()
