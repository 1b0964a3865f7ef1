"""The record of a search: a trial is a set of prompts scored on the whole validation set.

Trials are told by what candidates say, not by which optimizer made them, so all optimizers are
recorded alike. After each trial the record and the best program so far are on disk.
"""

from __future__ import annotations

import json
import statistics
import threading
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path

from pydantic import Field

from evals.optimizing.compiled import PredictorState
from evals.optimizing.objective import Scored
from modules.disk import storage
from signatures.types import Record


class Trial(Record):
    """One candidate and what came of it on the validation set.

    Attributes:
        number: 0 is the program as it was.
        digest: Of its prompts.
        objective: Its mean in [0, 1], None where nothing was scored.
        metrics: Each metric's mean over what was scored.
        parts: Each weighed metric's own objective.
        requests: Requests of the search when the trial was complete.
        usd: Dollars paid until then; None where a price is unknown.
    """

    number: int
    digest: str
    objective: float | None
    metrics: dict[str, float | None]
    parts: dict[str, float]
    n_scored: int
    n_failed: int
    n_abstained: int
    requests: int
    usd: float | None
    changed: list[str] = Field(default_factory=list)
    demos: int = 0


class _Seen:
    """What is known of a candidate so far."""

    def __init__(self, state: Mapping[str, PredictorState]) -> None:
        self.state = dict(state)
        self.scored: dict[str, Scored] = {}
        self.values: dict[str, float | None] = {}


class Trials:
    """Takes in scores, one text at a time, from any thread.

    Args:
        val: The ids of the validation set.
        original: The prompts before tuning.
        parts: Gives each metric's own objective of a text.
        spent: Requests and dollars of the search so far.
        folder: Where the record goes; None keeps it in memory.
        most_failed: The share of texts without a value above which a candidate cannot be best.
        told: Told of each trial and the best so far.
    """

    def __init__(
        self,
        val: Sequence[str],
        original: Mapping[str, PredictorState],
        parts: Callable[[Scored], Mapping[str, float]],
        spent: Callable[[], tuple[int, float | None]],
        folder: Path | None = None,
        *,
        most_failed: float = 1.0,
        told: Callable[[Trial, Trial | None], None] = lambda trial, best: None,
    ) -> None:
        self._val = set(val)
        self._original = dict(original)
        self._parts = parts
        self._spent = spent
        self._folder = folder
        self._most_failed = most_failed
        self._told = told
        self._seen: dict[str, _Seen] = {}
        self._lock = threading.Lock()
        self.done: list[Trial] = []

    def note(
        self,
        digest: str,
        state: Mapping[str, PredictorState],
        item: str,
        scored: Scored,
        value: float | None,
    ) -> None:
        """One text of a candidate and its objective; the last of its set makes it a trial."""
        if item not in self._val:
            return
        with self._lock:
            seen = self._seen.setdefault(digest, _Seen(state))
            new = item not in seen.scored
            seen.scored[item], seen.values[item] = scored, value
            if new and len(seen.scored) == len(self._val):
                self.done.append(self._trial(digest, seen))
                self._write()
                self._told(self.done[-1], self.best())

    def complete(self, digest: str) -> bool:
        """Whether a candidate has been scored on all of the validation set."""
        return any(trial.digest == digest for trial in self.done)

    def state(self, digest: str) -> dict[str, PredictorState]:
        """The prompts of a candidate."""
        return self._seen[digest].state

    def best(self) -> Trial | None:
        """The trial with the highest objective among those few of whose texts failed.

        The first of equals: a change that brings nothing is none.
        """
        able = [
            trial
            for trial in self.done
            if trial.objective is not None
            and trial.n_failed + trial.n_abstained <= self._most_failed * len(self._val)
        ]
        return max(able, key=lambda t: (round(t.objective or 0.0, 9), -t.number), default=None)

    def front(self) -> list[Trial]:
        """The trials that no other beats in one metric without losing in another."""
        able = [trial for trial in self.done if trial.objective is not None]
        return [one for one in able if not any(_beats(other, one) for other in able)]

    def _trial(self, digest: str, seen: _Seen) -> Trial:
        texts = [seen.scored[item] for item in sorted(seen.scored)]
        values = [seen.values[item] for item in sorted(seen.values)]
        known = [value for value in values if value is not None]
        names = sorted({name for one in texts for name in one.values})
        parts = [self._parts(one) for one in texts if one.problem is None]
        fates = [_fate(seen.scored[item], seen.values[item]) for item in seen.scored]
        requests, usd = self._spent()
        return Trial(
            number=len(self.done),
            digest=digest,
            objective=statistics.fmean(known) if known else None,
            metrics={name: _mean([one.values.get(name) for one in texts]) for name in names},
            parts={
                name: statistics.fmean(part[name] for part in parts)
                for name in (parts[0] if parts else ())
            },
            n_scored=len(known),
            n_failed=fates.count("failed"),
            n_abstained=fates.count("abstained"),
            requests=requests,
            usd=usd,
            changed=[
                name
                for name, predictor in seen.state.items()
                if predictor.instructions != self._original[name].instructions
            ],
            demos=sum(len(predictor.demos) for predictor in seen.state.values()),
        )

    def _write(self) -> None:
        """Keep the record, the latest candidate, and the best so far."""
        if self._folder is None:
            return
        latest, best = self.done[-1], self.best()
        lines = "".join(trial.model_dump_json() + "\n" for trial in self.done)
        with storage(self._folder):
            self._folder.mkdir(parents=True, exist_ok=True)
            _put(self._folder / "trials.jsonl", lines)
            name = f"{latest.number:04d}-{latest.digest}.json"
            _put(self._folder / "candidates" / name, _text(self._seen[latest.digest].state))
            if best is not None and best.number == latest.number:
                _keep_best(self._folder / "best.json", best, self._seen[best.digest].state)


def _keep_best(path: Path, best: Trial, state: Mapping[str, PredictorState]) -> None:
    """Write the best so far, unless a search that was cut off already had a better one: the same
    candidates come again when it is resumed.
    """
    if path.exists():
        earlier = json.loads(path.read_text(encoding="utf-8"))
        if (earlier.get("objective") or 0.0) > (best.objective or 0.0):
            return
    kept = {"objective": best.objective, "number": best.number, "digest": best.digest}
    _put(path, json.dumps({**kept, "program": json.loads(_text(state))}, indent=2) + "\n")


def _text(state: Mapping[str, PredictorState]) -> str:
    plain = {name: predictor.model_dump(mode="json") for name, predictor in state.items()}
    return json.dumps(plain, indent=2, ensure_ascii=False) + "\n"


def _put(path: Path, text: str) -> None:
    """Write whole or not at all."""
    path.parent.mkdir(parents=True, exist_ok=True)
    draft = path.with_suffix(path.suffix + ".part")
    draft.write_text(text, encoding="utf-8")
    draft.replace(path)


def _beats(one: Trial, other: Trial) -> bool:
    """Whether ``one`` is as good in all metrics and better in one."""
    pairs = [(one.parts[name], other.parts[name]) for name in one.parts if name in other.parts]
    return all(a >= b for a, b in pairs) and any(a > b for a, b in pairs)


def _fate(scored: Scored, value: float | None) -> str:
    if value is not None:
        return "scored"
    return "failed" if scored.problem is not None or scored.failed else "abstained"


def _mean(values: Sequence[float | None]) -> float | None:
    known = [value for value in values if value is not None]
    return statistics.fmean(known) if known else None


__all__ = ["Trial", "Trials"]
