"""What perspective-aware evidence does to writing (S3, section 3.3), on any backend.

Essays: for claims of Perspectrum's test split, a text of 100 words for and one against each, from
no evidence, gold evidence, or the first five documents of a ranking; Pearson's r of the side asked
for with the polarity of the words (TextBlob, as S3) and with the stance that is read off the text.
Short answers: for AmbigQA rows ``{question, readings: [{question, evidence, answers}]}``, the
answer from the first document, by exact match. Units that fail are counted, never scored. Without
a model the extractive engine writes: that shows what the evidence alone carries.

``python -m bench.downstream --data ../shared/data --claims 30``
``python -m bench.downstream --backend openai --model gpt-4o-mini --ambigqa rows.jsonl``
"""

from __future__ import annotations

import argparse
import tempfile
from collections import Counter
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any, NamedTuple

import dspy
import yaml

from evals.matching import exact
from evals.pir import Task, benchmark, perspectrum
from evals.pir.building import ambigqa
from evals.pir.datasets import first
from evals.pir.measures import top
from evals.pir.reading import lines
from evals.steering import correlation, word_polarity
from flows.building import built
from modules.citations.markers import bare
from modules.lm.ask import Ask
from modules.lm.backends import Backend
from modules.lm.ledger import Ledger
from modules.retrieval.converted import ConvertedMiniLM
from modules.retrieval.exhaustive import Asked, ByVectors, Encodings
from modules.retrieval.operations import Operation
from modules.stance import stance_model
from modules.stance.retriever import ByStance
from modules.writing import OutrightWriter
from signatures.errors import MootError
from signatures.short_answers import AnswerShortly
from signatures.types import EssayStance, Evidence, Passage

DEPTH = 5
RANKINGS: dict[str, tuple[str, Operation]] = {
    "dense": ("vectors", "none"),
    "pap": ("vectors", "pap"),
    "pap_plus": ("vectors", "pap_plus"),
    "stance": ("stance", "none"),
}
EVIDENCE = ("none", "gold", *RANKINGS)
GOALS: dict[int, EssayStance] = {1: "support", -1: "refute"}

Rank = Callable[[Asked], Sequence[Sequence[int]]]


class Essay(NamedTuple):
    """A text that was asked for."""

    claim: str
    side: int
    text: str


def main() -> None:
    """Print one line for each kind of evidence."""
    parser = argparse.ArgumentParser()
    parser.add_argument("--data", type=Path, default=Path("../shared/data"))
    parser.add_argument("--claims", type=int, default=30, help="S3 has 30 examples")
    parser.add_argument("--evidence", nargs="+", choices=EVIDENCE, default=EVIDENCE)
    parser.add_argument("--measures", nargs="+", choices=MEASURES, default=list(MEASURES))
    parser.add_argument("--backend", default="extractive", help="an option of conf/backend")
    parser.add_argument("--model", help="its model")
    parser.add_argument("--base-url", help="its server")
    parser.add_argument("--ambigqa", type=Path, help="rows; without them no short answers")
    options = parser.parse_args()
    backend = backend_of(options.backend, model=options.model, base_url=options.base_url)
    with tempfile.TemporaryDirectory(prefix="moot-bench-") as folder:
        embedder = ConvertedMiniLM(Path(folder) / "openvino")
        encodings = Encodings(embedder, Path(folder) / "vectors")
        lm = backend.lm("writer", Ledger())
        with dspy.context(lm=lm, adapter=backend.adapter()):
            whole = perspectrum(options.data / "perspectrum", "test")
            task = first(whole, options.claims)
            for name, evidence in evidences(task, encodings, options.evidence).items():
                told(name, *written(task, evidence), embedder, options.measures)
            if options.ambigqa:
                short(lines(options.ambigqa), encodings, options.evidence)


def backend_of(name: str, **changes: str | None) -> Backend:
    """The backend of a yaml, with what is given changed."""
    path = Path(__file__).parent.parent / "conf" / "backend" / f"{name}.yaml"
    node = yaml.safe_load(path.read_text(encoding="utf-8"))
    node |= {key: value for key, value in changes.items() if value is not None}
    found: Backend = built("backend", node)
    return found


def rankings(
    documents: tuple[str, ...], encodings: Encodings, wanted: Sequence[str]
) -> dict[str, Rank]:
    """Name -> the first documents of each search, best first."""
    opened: dict[str, Any] = {}
    kinds: dict[str, Any] = {"vectors": ByVectors, "stance": ByStance}

    def ranked(kind: str, operation: Operation) -> Rank:
        if kind not in opened:
            opened[kind] = kinds[kind](documents, encodings)
        return lambda asked: top(opened[kind].scores(asked, operation, 1.0), DEPTH).tolist()

    return {name: ranked(*RANKINGS[name]) for name in RANKINGS if name in wanted}


def evidences(
    task: Task, encodings: Encodings, wanted: Sequence[str]
) -> dict[str, dict[tuple[str, int], list[str]]]:
    """Kind of evidence -> (claim, side) -> texts."""
    sides = {"support": 1, "undermine": -1}
    own: dict[tuple[str, int], list[int]] = {}
    for at, label in enumerate(task.labels):
        if label in sides:
            own.setdefault((task.roots[at], sides[label]), []).append(at)
    # One search for each claim and side: the queries of a side have equal words.
    chosen = {key: each[0] for key, each in own.items()}
    places = list(chosen.values())
    asked = Asked(
        tuple(task.queries[at] for at in places),
        tuple(task.roots[at] for at in places),
        tuple(task.perspectives[at] for at in places),
    )
    texts = task.documents
    # Gold: the first wording of each perspective of that side.
    gold = {key: [texts[task.gold[at][0]] for at in each[:DEPTH]] for key, each in own.items()}
    found: dict[str, dict[tuple[str, int], list[str]]] = {
        "none": {key: [] for key in chosen},
        "gold": gold,
    }
    for name, rank in rankings(texts, encodings, wanted).items():
        best = dict(zip(chosen, rank(asked), strict=True))
        found[name] = {key: [texts[at] for at in brought] for key, brought in best.items()}
    return {name: found[name] for name in wanted}


def written(
    task: Task, evidence: dict[tuple[str, int], list[str]]
) -> tuple[list[Essay], Counter[str]]:
    """The texts, and what went wrong with those that could not be had."""
    write = OutrightWriter(words=100, min_share=0.2)
    essays, failures = [], Counter[str]()
    for (claim, side), texts in evidence.items():
        passages = [
            Passage(id=str(at), text=ended(text), source="perspectrum", title="")
            for at, text in enumerate(dict.fromkeys(texts))
        ]
        try:
            draft = write(subject=claim, goal=GOALS[side], background=passages)
        except MootError as error:  # one text's failure is counted, not the end of all
            failures[f"{type(error).__name__}: {error.what}"[:90]] += 1
            continue
        essays.append(Essay(claim, side, bare(draft.text)))
    return essays, failures


def ended(text: str) -> str:
    """The text as a sentence: Perspectrum's often lack their full stop."""
    text = text.strip()
    return text if text[-1:] in ".!?" else f"{text}."


def by_words(essays: Sequence[Essay], embedder: Any) -> list[float]:
    """TextBlob's polarity of each text (S3)."""
    return [word_polarity(essay.text) for essay in essays]


def by_stance(essays: Sequence[Essay], embedder: Any) -> list[float]:
    """How far each text takes its claim's side, by the stance model."""
    odds = stance_model(embedder).read([(essay.claim, essay.text) for essay in essays])
    return [each.polarity for each in odds]


MEASURES = {"words": by_words, "stance": by_stance}


def told(
    name: str, essays: Sequence[Essay], failures: Counter[str], embedder: Any, wanted: Sequence[str]
) -> None:
    """The correlations of one kind of evidence."""
    sides, claims = [e.side for e in essays], [e.claim for e in essays]
    shown = []
    for measure in wanted:
        polarities = MEASURES[measure](essays, embedder) if essays else []
        found = correlation(sides, polarities, claims)
        if found.r is None or found.ci is None:
            shown.append(f"{measure} undefined")
            continue
        low, high = found.ci
        shown.append(f"{measure} {found.r:.1f} [{low:.1f}, {high:.1f}] p {found.p:.4f}")
    lost = f"; {failures.total()} failed" if failures else ""
    print(f"{name:<9} {len(essays):>3} texts{lost}; r by {'; by '.join(shown)}")
    for reason, count in failures.most_common(1):
        print(f"          {count} x {reason}")


def short(rows: Sequence[dict[str, Any]], encodings: Encodings, wanted: Sequence[str]) -> None:
    """Short answers from the first document of each ranking, by exact match."""
    task = ambigqa(rows)
    answers = {
        str(one["question"]): [str(gold) for gold in one["answers"]]
        for row in rows
        for one in row["readings"]
    }
    found: dict[str, Sequence[Sequence[int]]] = {
        "none": [[] for _ in task.queries],
        "gold": task.gold,
    }
    for name, rank in rankings(task.documents, encodings, wanted).items():
        found[name] = rank(benchmark.asked(task))
    ask = Ask(AnswerShortly)
    for name in wanted:
        best = found[name]
        right = abstained = failed = 0
        for query, places in zip(task.queries, best, strict=True):
            held = [Evidence(number=1, title="", text=task.documents[at]) for at in places[:1]]
            try:
                said = ask(question=query, knowledge=held).answer
            except MootError:  # counted: an outage is no wrong answer
                failed += 1
                continue
            abstained += said is None
            right += said is not None and any(exact(said, gold) for gold in answers[query])
        n = len(task.queries) - failed
        share = f"{100 * right / n:.1f}" if n else "undefined"
        print(f"{name:<9} {n} answers, exact match {share}, {abstained} abstained, {failed} failed")


if __name__ == "__main__":
    main()
