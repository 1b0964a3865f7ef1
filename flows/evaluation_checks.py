"""What is refused before an evaluation spends anything."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor

from evals.judged import same_model
from flows.cells import Cells
from flows.evaluation_config import EvaluationConfig
from flows.units import Unit, kept_at
from modules.lm.backends import Backend
from signatures.errors import BackendError, ConfigError


def judge_chosen(settings: EvaluationConfig) -> None:
    """Refuse a judge that would judge itself.

    Raises:
        ConfigError: It would.
    """
    found = self_judged(settings)
    if found and settings.self_judging == "refuse":
        raise ConfigError(
            found[0],
            expected="another model",
            remedy="set backend@roles.judge, or allow it with self_judging=warn",
        )


def self_judged(settings: EvaluationConfig) -> list[str]:
    """A line for each column whose writer is its own judge."""
    judged = [name for name, metric in settings.metrics.items() if metric.judges]
    if settings.match_budget:
        judged.append("match_budget")
    found = []
    for name, backend in settings.columns().items():
        judge = settings.roles.get("judge", backend)
        writer = settings.roles.get("writer", backend)
        if not judge.deterministic and same_model(writer.identity(), judge.identity()):
            found.append(f"{name}: the judge of {', '.join(judged)} is the writer's own model")
    return found if judged else []


def reachable(settings: EvaluationConfig, cells: Cells) -> None:
    """Ask every backend whether it answers, unless all texts are there already.

    Raises:
        BackendError: One does not.
    """
    if not settings.probe or all(there(unit) for unit in cells.texts()):
        return
    used = {b.identity(): b for b in (*settings.writers(), *settings.roles.values())}
    with ThreadPoolExecutor(8, thread_name_prefix="probe") as pool:
        problems = [found for found in pool.map(_problem, used.values()) if found is not None]
    if problems:
        first = problems[0]
        raise BackendError(
            first.what,
            expected=first.expected,
            got=first.got,
            remedy=f"{first.remedy}; nothing was spent (probe=false asks no backend beforehand)",
        ) from first


def there(unit: Unit) -> bool:
    """Whether an earlier run has the unit's result."""
    return kept_at(unit).exists()


def _problem(backend: Backend) -> BackendError | None:
    try:
        backend.probe()
    except BackendError as error:
        return error
    return None


__all__ = ["judge_chosen", "reachable", "self_judged", "there"]
