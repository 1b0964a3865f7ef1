"""What a flow sets up before its work: run folder, LM cache, embedder, retriever, server."""

from __future__ import annotations

import threading
from collections.abc import Callable
from pathlib import Path
from typing import Any

from flows.answer_config import AnswerConfig
from flows.config import AskingConfig, DebateConfig, EssaySections, FlowConfig, IngestConfig
from flows.curate_config import CurateConfig
from flows.limiting import limiters
from flows.retrieval_config import RetrievalConfig
from flows.run import Run, new_id
from flows.sections import Paths
from modules.evidence import NoEvidence, Retriever
from modules.lm.ledger import Budget, Ledger
from modules.lm.roles import Roles
from modules.perplexity import Evaluator
from modules.vectors import RememberingEmbedder, remembering

_embedders: dict[str, Any] = {}
_remembering: dict[str, RememberingEmbedder] = {}
_lock = threading.Lock()


def new_run(
    flow: str,
    config: FlowConfig,
    plain: dict[str, Any],
    folder: str | None,
    budget: Budget | None = None,
) -> Run:
    """The run at ``folder``, or at a new one of its own."""
    path = Path(folder) if folder else config.paths.runs / flow / new_id(config.subject or flow)
    return Run(path, flow, plain, budget)


def lm_cache(paths: Paths) -> None:
    """Give DSPy its cache under our folder, restricted to plain data: nothing is unpickled."""
    import dspy

    if getattr(dspy.cache, "disk_cache_dir", None) == str(paths.cache / "dspy"):
        return
    dspy.configure_cache(disk_cache_dir=str(paths.cache / "dspy"), restrict_pickle=True)


def embedder_of(config: AskingConfig | IngestConfig | RetrievalConfig) -> Any:
    """The configured embedder, one per process."""
    name = config.embedder.model_dump_json()
    with _lock:
        if name not in _embedders:
            _embedders[name] = config.embedder.open()
        return _embedders[name]


def remembered_of(config: AskingConfig) -> RememberingEmbedder:
    """The configured embedder with a memory that all runs of this process share: the next round
    of a debate, or the next debate on a topic, compares sentences with the same passages.
    """
    embedder = embedder_of(config)
    with _lock:
        return _remembering.setdefault(embedder.name, remembering(embedder))


def retriever_of(
    config: AnswerConfig | CurateConfig | EssaySections | DebateConfig,
    embedder: Any,
    run: Run | None = None,
) -> Retriever:
    """The configured retriever over the index, or one that finds nothing.

    ``run`` is where a retriever of the web keeps its pages; others need none.

    Raises:
        EvidenceError: There is no index, or another embedder built it.
    """
    if config.evidence == "none":
        return NoEvidence()
    spec = config.retriever
    if isinstance(config, AnswerConfig | CurateConfig):
        spec = config.source
    return (spec.for_run(run.folder) if run else spec).open(config.paths.index, embedder)


def roles_of(config: AskingConfig, run: Run, replicate: int = 0) -> Roles:
    """The LM of each role, all calls counted by the run and held to their servers' limits."""
    used = [config.backend, *config.roles.values()]
    return run.holding(
        Roles(
            config.backend,
            run.ledger,
            own=config.roles,
            seed=config.seed,
            replicate=replicate,
            slots=limiters(config.runner, used),
        )
    )


def evaluator_of(config: AskingConfig, ledger: Ledger | None = None) -> Evaluator | None:
    """The configured evaluator, whose requests the ledger counts; None where none is configured.

    Its weights are loaded, once per process, or its server is reached, when it is first used.
    """
    return None if config.evaluator is None else config.evaluator.open(ledger)


def in_background(*jobs: Callable[[], object]) -> None:
    """Start slow set-up early; whoever needs its outcome asks again and waits.

    A job that fails here fails again, with its message, where it is needed.
    """

    def quietly(job: Callable[[], object]) -> None:
        try:
            job()
        except Exception:  # the same failure is raised, and reported, where the thing is used
            return

    for job in jobs:
        threading.Thread(target=quietly, args=(job,), daemon=True).start()


__all__ = [
    "embedder_of", "evaluator_of", "in_background", "lm_cache", "new_run", "remembered_of",
    "retriever_of",
]  # fmt: skip
