"""What an optimization sets up: its cache, its questions, its judge, its silence."""

from __future__ import annotations

import contextlib
import hashlib
import json
import logging
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

from evals.judged import same_model
from evals.optimizing.targets import Target
from flows.optimize_config import OptimizeConfig
from flows.run import Run
from flows.runtime import evaluator_of
from modules.lm.ledger import Ledger
from modules.lm.roles import Roles
from modules.perplexity import Evaluator, ServerEvaluatorSpec
from modules.perplexity.kept import KeptEvaluator
from signatures.errors import ConfigError, InputError


def same_questions(run: Run, name: str, digest: str) -> None:
    """A run goes on over the questions it was begun with, or not at all.

    Raises:
        InputError: They have changed since.
    """
    known = run.state().get("dataset")
    if known is not None and known != digest:
        raise InputError(
            f"the dataset {name} has changed since the run began",
            expected=f"questions with the digest {known}",
            got=digest,
            remedy="start a new run",
        )
    run.remember(dataset=digest)


def suited(settings: OptimizeConfig, target: Target, items: Sequence[Any]) -> None:
    """Refuse items that the target can make nothing of.

    Raises:
        ConfigError: They lack what it wants.
        InputError: Some of them are of no use.
    """
    missing = [name for name in target.wants if not hasattr(items[0], name)]
    if missing:
        raise ConfigError(
            f"the dataset {settings.dataset.name} does not suit {target.name}/{target.method}",
            expected=f"items with {', '.join(target.wants)}",
            got=f"none with {', '.join(missing)}",
            remedy="dataset=arguments is for target=evidence, rated for a judge of texts, "
            "rated_comments for judge=annotation",
        )
    target.check(items)


def own_cache(settings: OptimizeConfig, digest: str) -> Path:
    """A cache of LM calls for this target on this data with this seed: it is the checkpoint.

    Other optimizers, objectives and budgets share it: what was asked is not asked again.

    Returns:
        Its folder.
    """
    import dspy

    shared = {"target", "method", "settings", "stance", "seed"}
    content = settings.model_dump(mode="json", include=shared)
    models = [b.identity() for b in (settings.backend, *settings.roles.values())]
    text = json.dumps([content, models, digest], sort_keys=True, default=str)
    name = hashlib.sha256(text.encode()).hexdigest()[:16]
    folder = settings.paths.cache / "optimize" / name
    dspy.configure_cache(disk_cache_dir=str(folder), restrict_pickle=True)
    return folder


def kept_evaluator(settings: OptimizeConfig, ledger: Ledger, folder: Path) -> Evaluator | None:
    """The configured evaluator, its readings kept beside the LM calls; None where none is."""
    evaluator = evaluator_of(settings, ledger)
    if evaluator is None:
        return None
    counted = ledger if isinstance(settings.evaluator, ServerEvaluatorSpec) else None
    return KeptEvaluator(evaluator, folder / "readings", counted)


def judge_notes(settings: OptimizeConfig, roles: Roles) -> list[str]:
    """A note where the judge would judge texts of its own model.

    Raises:
        ConfigError: It would, and ``self_judging`` does not allow it.
    """
    judged = sorted(
        name for name, m in settings.metrics.items() if m.judges and m.program() is not None
    )
    writer = roles.backends["writer"]
    judge = roles.backends["judge"]
    if not judged or judge.deterministic:
        return []
    if not same_model(writer.identity(), judge.identity()):
        return []
    said = f"the judge of {', '.join(judged)} is the writer's own model"
    if settings.self_judging == "refuse":
        raise ConfigError(
            said,
            expected="another model",
            remedy="set backend@roles.judge, or allow it with self_judging=warn",
        )
    return [said]


@contextlib.contextmanager
def quiet(run: Run, roles: Roles) -> Iterator[None]:
    """DSPy's talk and bars go to a file of the run: stdout carries the result alone."""
    import dspy

    reflector = roles.lm("reflector")
    path = run.folder / "optimizer.log"
    logger = logging.getLogger("dspy")
    with path.open("a", encoding="utf-8") as file:
        handler = logging.StreamHandler(file)
        kept, logger.handlers = logger.handlers, [handler]
        spread, logger.propagate = logger.propagate, False
        try:
            with (
                contextlib.redirect_stdout(file),
                contextlib.redirect_stderr(file),
                dspy.context(
                    lm=roles.lm("writer"),
                    adapter=reflector.engine.adapter,
                    disable_history=True,
                    max_errors=10_000,
                ),
            ):
                yield
        finally:
            logger.handlers, logger.propagate = kept, spread


__all__ = [
    "judge_notes",
    "kept_evaluator",
    "own_cache",
    "quiet",
    "same_questions",
    "suited",
]
