"""The debate flow: a roundtable on a topic, a run that can be taken up again for another round."""

from __future__ import annotations

import sys
from contextlib import closing
from typing import Any

from prefect import flow

from evals.contract import Tools
from flows.config import DebateConfig, config_hash, typed
from flows.debate_events import EventLog
from flows.debate_files import earlier, votes, write_files
from flows.debate_result import Circumstances, measured, metrics_of, seated, told
from flows.persona_files import with_personas
from flows.programs import Programs, with_programs
from flows.run import Run
from flows.runtime import embedder_of, lm_cache, new_run, remembered_of, retriever_of, roles_of
from flows.settled import settled
from flows.stages import TaskStep
from flows.tracking import tracked
from modules.roundtable import NOTHING, Roundtable
from signatures.results import DebateResult
from signatures.types import RunRecord


@flow(name="debate", flow_run_name="{run_dir}", validate_parameters=False)
def debate(config: dict[str, Any], run_dir: str | None = None) -> dict[str, Any]:
    """Hold a debate, or take one up again where its folder's last result left it.

    Args:
        config: A resolved debate configuration as plain data (what ``--cfg job`` shows).
        run_dir: The run's folder; by default a new one under the configured runs.

    Returns:
        The debate's JSON document (:class:`signatures.results.DebateResult`).
    """
    config = with_personas(config)
    settings = typed(DebateConfig, config)
    run = new_run("debate", settings, config, run_dir, settings.budget)
    with tracked(run, settings, config) as tracker:
        # A first record takes seconds to begin, which are had while LMs are waited for; a later
        # one takes none, and would only be in the way of the turns.
        early = None if "mlflow" in sys.modules else tracker.start
        step = TaskStep(run, settings.runner, total=_stages(settings), meanwhile=early)
        with closing(step), settled(), EventLog(run.folder) as log:
            log("started", topic=settings.subject, rounds=settings.debate.rounds)
            result = _held(settings, config, run, step, log)
            files = write_files(run, result)
            log("finished")
            tracker.finish(metrics_of(result), files)
    return result.model_dump(mode="json")


def _held(
    settings: DebateConfig, config: dict[str, Any], run: Run, step: TaskStep, log: EventLog
) -> DebateResult:
    lm_cache(settings.paths)
    embedder = remembered_of(settings)
    retriever = retriever_of(settings, embedder_of(settings), run)
    roles = roles_of(settings, run, settings.replicate)
    programs = Programs(settings)
    table = Roundtable(settings.settings, retriever, embedder).followed_by(log)
    programs.bind(roles)(with_programs(table, settings, programs))
    before = earlier(run.folder)
    parts = table(
        topic=settings.subject,
        personas=seated(settings, before),
        earlier=told(before) if before else NOTHING,
        step=step,
    )
    spent = step.total if before is None else before.run.usage_total + step.total
    record = RunRecord(
        id=run.id,
        config_hash=config_hash(config),
        models=roles.models(),
        programs=programs.used(),
        corpus_version=getattr(retriever, "corpus_version", None),
        dir=str(run.folder),
        usage_total=spent,
    )
    around = Circumstances(votes(run.folder), run.seconds, step.usage(), record)
    result = measured(settings, parts, around, Tools(embedder, programs.bind(roles)))
    return result.model_copy(update={"notes": [*result.notes, *programs.notes()]})


def _stages(settings: DebateConfig) -> int:
    """About how many stages there will be, for the progress bar."""
    table = settings.debate
    seats = len(settings.personas or ()) or table.personas
    batches = table.rounds * (seats if table.mode == "continuous" else 1)
    return 3 + batches + table.rounds * table.moderator + table.closing + table.recommendation


__all__ = ["debate"]
