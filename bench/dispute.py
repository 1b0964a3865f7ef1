"""How well the built-in detector tells which answers say that their question is disputed.

    python -m bench.dispute --data ../shared/data
    python -m bench.dispute --train modules/dispute/model.json      # and its own figures

The sample: 134 real answers, the first of ``debateqa/answers_dev.jsonl`` sorted by id and shuffled
with seed 20240, labelled by reading before the detector was written, and frozen
(``dispute_labels.json``: the first 16 hex digits of a text's SHA-256 to 1 or 0; no text). One
reader labelled them and wrote the cues, so the cues are not blind to how such answers are worded;
no answer of the sample, and none of that file, trained the model or set its threshold. The sample's
figures were looked at twice while the detector was made: 0.860 balanced accuracy with a first set
of 176 short answers of our own, then, with longer ones added, what it has now.

The labelling guideline (after S4's Dispute Awareness: the answer makes explicit that the question
is debatable). Label 1 if, anywhere, the answer

1. calls the question or its central issue debated, controversial, contentious, contested, divided,
   open, without consensus, or says that opinions on it differ;
2. says that there are good arguments or merit on both sides, or that it can be argued either way;
3. says that the answer is a matter of opinion, or depends on the values, beliefs or perspective of
   the one who answers;
4. reports opposed answers to the question as those of somebody: critics and supporters, some and
   others, schools, religions, institutions; or one such view against another that it takes itself.

Label 0 otherwise. In particular for answers that

- list pros and cons, benefits and risks, "arguments for and against", "considerations" or
  "several perspectives", and call the matter complex, nuanced or many-sided, without anyone who
  disagrees (the hard class);
- make it depend on circumstances ("depends on the context, the type, the individual");
- report uncertain or mixed evidence without a dispute over it;
- attribute views on one side only;
- mention a dispute on a side matter, or report who believes what where that is the question;
- are one-sided, factual, or refuse.
"""

from __future__ import annotations

import argparse
import hashlib
import json
import random
import re
import time
from collections import Counter, defaultdict
from collections.abc import Sequence
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from modules.dispute.cues import read
from modules.dispute.detector import FEATURES, DisputeModel, features, fitted

LABELS = Path(__file__).with_name("dispute_labels.json")
OWN = Path(__file__).parent.parent / "data" / "dispute" / "answers.jsonl"
FOLDS, ALONGSIDE, SEED, STRENGTH = 8, (3, 6, 9), 0, 1.0
"""Of the fit: folds of its own check, sizes of the answers made longer, inverse regularization."""

KEYWORDS = re.compile(
    r"debat|controvers|contentio|disput|disagree|divisive|polari[sz]|no consensus|"
    r"opinions? (?:\w+ )?(?:differ|var)|subjective|matter of opinion|both sides|"
    r"critics|opponents|proponents|some (?:people )?(?:argue|believe)",
    re.IGNORECASE,
)
"""The keyword rule side by side: one hit anywhere."""

Floats = NDArray[np.float64]


class Answer(NamedTuple):
    """An answer with its label; ``kind`` is what it was written as, for our own."""

    question: str
    text: str
    label: int
    kind: str = ""


def frozen(data: Path) -> list[Answer]:
    """The labelled sample.

    Raises:
        SystemExit: The file is not the one that was labelled.
    """
    labels: dict[str, int] = json.loads(LABELS.read_text("utf-8"))
    found = {}
    for row in _rows(data / "debateqa" / "answers_dev.jsonl"):
        digest = hashlib.sha256(row["generation"].encode()).hexdigest()[:16]
        if digest in labels:
            found[digest] = Answer(row["question"], row["generation"], labels[digest])
    if len(found) != len(labels):
        raise SystemExit(f"{len(labels) - len(found)} labelled answers are not in {data}")
    return [found[digest] for digest in sorted(found)]


def own() -> list[Answer]:
    """The answers written for the project."""
    return [Answer(r["question"], r["answer"], r["acknowledges"], r["kind"]) for r in _rows(OWN)]


def _rows(path: Path) -> list[dict[str, Any]]:
    return [json.loads(line) for line in path.read_text("utf-8").split("\n") if line.strip()]


def longer(answer: Answer, among: Sequence[Answer], n: int, rng: random.Random) -> Answer:
    """The answer amid the lines of ``n`` others that acknowledge nothing: real ones are long."""
    quiet = [a for a in among if not a.label and a.kind not in ("single_voice", "side_debate")]
    others = rng.sample(quiet, min(n, len(quiet)))
    lines = [line for a in others for line in a.text.split("\n") if line.strip()]
    cut = rng.choice((0, len(lines) // 2, len(lines)))
    return answer._replace(text="\n".join([*lines[:cut], answer.text, *lines[cut:]]))


def fit(answers: Sequence[Answer], rng: random.Random) -> dict[str, Any]:
    """A logistic regression on the answers and longer ones made of them, as plain numbers."""
    # It ships no annotations, and comes with sentence-transformers.
    from sklearn.linear_model import LogisticRegression  # type: ignore[import-untyped]

    made = [longer(a, answers, n, rng) for a in answers for n in ALONGSIDE]
    every = [*answers, *made]
    rows = [features(read(a.text), a.question) for a in every]
    model = LogisticRegression(C=STRENGTH, max_iter=4000, class_weight="balanced")
    model.fit(rows, [a.label for a in every])
    return {
        "features": list(FEATURES),
        "weights": np.round(model.coef_[0], 4).tolist(),
        "bias": round(float(model.intercept_[0]), 4),
        "threshold": 0.5,
    }


def held_out(answers: Sequence[Answer]) -> tuple[list[int], list[int], list[str]]:
    """Labels, verdicts and kinds of our own answers, each judged by a model that never saw it."""
    rng = random.Random(SEED)
    order = rng.sample(range(len(answers)), len(answers))
    labels, verdicts, kinds = [], [], []
    for fold in range(FOLDS):
        test = [answers[i] for i in order[fold::FOLDS]]
        train = [answers[i] for place, i in enumerate(order) if place % FOLDS != fold]
        model = DisputeModel(fit(train, rng))
        for one in test:
            for text in (one, longer(one, test, 6, rng)):
                labels.append(one.label)
                verdicts.append(int(model.read(text.text, text.question).acknowledged))
                kinds.append(one.kind)
    return labels, verdicts, kinds


def train(path: Path) -> None:
    """Fit on all our own answers and write the model with its card."""
    answers = own()
    labels, verdicts, kinds = held_out(answers)
    figures = _figures(np.asarray(labels), np.asarray(verdicts))
    content = fit(answers, random.Random(SEED))
    card = {
        "what": "probability that an answer says that people disagree on its question",
        "how": f"logistic regression (L2, C={STRENGTH:g}) over cues; English",
        "data": f"data/dispute/answers.jsonl: {len(answers)} answers written for the project, "
        f"{sum(a.label for a in answers)} of them acknowledging, and longer ones made of them",
        "made_by": "python -m bench.dispute --train modules/dispute/model.json",
        "cross_validated": {k: round(v, 3) for k, v in figures.items()},
        "not_for": "other languages than English",
    }
    path.write_text(json.dumps({"card": card, **content}, indent=1) + "\n", "utf-8")
    right: dict[str, list[bool]] = defaultdict(list)
    for label, verdict, kind in zip(labels, verdicts, kinds, strict=True):
        right[kind].append(label == verdict)
    print("our own answers, held out, by kind:")
    for kind, hits in sorted(right.items()):
        print(f"  {kind:15}{np.mean(hits):5.2f}  of {len(hits)}")
    print("  " + ", ".join(f"{name} {value:.3f}" for name, value in figures.items()))


def report(data: Path) -> None:
    """The figures on the frozen sample, the detector's and the keyword rule's."""
    answers = frozen(data)
    labels = np.asarray([a.label for a in answers])
    print(f"{len(answers)} answers: {dict(Counter(labels.tolist()))}")
    start = time.process_time()
    model = fitted()
    detector = [int(model.read(a.text, a.question).acknowledged) for a in answers]
    spent = time.process_time() - start
    bare = [int(model.read(a.text).acknowledged) for a in answers]
    keyword = [int(bool(KEYWORDS.search(a.text))) for a in answers]
    for name, found in (
        ("detector", detector),
        ("detector, question unseen", bare),
        ("keyword rule", keyword),
    ):
        verdicts = np.asarray(found)
        ends = _intervals(labels, verdicts)
        print(name)
        for figure, value in _figures(labels, verdicts).items():
            print(f"  {figure:20}{value:.3f} [{ends[figure][0]:.3f}, {ends[figure][1]:.3f}]")
    print(f"{1000 * spent / len(answers):.1f} ms CPU for each answer")


def _figures(labels: NDArray[np.int_], verdicts: NDArray[np.int_]) -> dict[str, float]:
    """Recall of both classes and what follows of it."""
    yes = float((verdicts[labels == 1] == 1).mean())
    no = float((verdicts[labels == 0] == 0).mean())
    return {
        "balanced accuracy": (yes + no) / 2,
        "recall of 1": yes,
        "recall of 0": no,
        "accuracy": float((labels == verdicts).mean()),
    }


def _intervals(
    labels: NDArray[np.int_], verdicts: NDArray[np.int_]
) -> dict[str, tuple[float, float]]:
    """Percentile bootstrap, each class resampled by itself."""
    rng = np.random.default_rng(0)
    groups = [np.flatnonzero(labels == value) for value in (0, 1)]
    drawn: dict[str, list[float]] = defaultdict(list)
    for _ in range(2000):
        picked = np.concatenate([rng.choice(group, len(group)) for group in groups])
        for name, value in _figures(labels[picked], verdicts[picked]).items():
            drawn[name].append(value)
    return {
        name: (float(np.quantile(v, 0.025)), float(np.quantile(v, 0.975)))
        for name, v in drawn.items()
    }


def main() -> None:
    """Print the figures; with --train fit the model first."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else None)
    parser.add_argument("--data", type=Path)
    parser.add_argument("--train", type=Path, metavar="FILE")
    asked = parser.parse_args()
    if asked.train:
        train(asked.train)
    if asked.data:
        report(asked.data)


if __name__ == "__main__":
    main()
