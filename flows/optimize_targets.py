"""From a configuration to the target it names."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from evals.optimizing.debating import DebateTarget, EvidenceTarget
from evals.optimizing.judges import WORDS, without_judge
from evals.optimizing.labels import JudgeTarget
from evals.optimizing.rated_comments import AnnotationTarget
from evals.optimizing.targets import AnswerTarget, EssayTarget, Target
from flows.optimize_config import OptimizeConfig
from modules.evidence import NoEvidence, Retriever
from modules.lm.roles import Roles
from modules.retrieval.remember import RememberingRetriever
from modules.vectors import remembering

if TYPE_CHECKING:
    from flows.optimize_run import Optimization


def target_of(settings: OptimizeConfig, embedder: Any, roles: Roles, work: Optimization) -> Target:
    """The target of an optimization.

    Raises:
        EvidenceError: There is no index, or another embedder built it.
    """
    if settings.target == "judge":
        metric = settings.judged
        if metric is None:
            return AnnotationTarget(settings.criteria)
        own = None if embedder is None else remembering(embedder)
        return JudgeTarget(metric, WORDS.get(metric.name, {}), own, without_judge(metric))
    writer = roles.backends["writer"].identity()
    retriever = _retriever(settings, embedder, work)
    remembered, bind = remembering(embedder), work.programs.bind(roles)
    if settings.target == "debate":
        cites = any("citation_figures" in metric.fields for metric in settings.measures.values())
        return DebateTarget(
            settings.settings, retriever, remembered, bind, backed=cites, writer=writer
        )
    if settings.target == "evidence":
        return EvidenceTarget(settings.settings, retriever, remembered, bind, writer=writer)
    if settings.target == "essay":
        return EssayTarget(
            settings.method,
            settings.settings,
            retriever,
            remembered,
            bind,
            stance=settings.stance,
            writer=writer,
        )
    return AnswerTarget(
        settings.method, settings.settings, retriever, remembered, bind, writer=writer
    )


def _retriever(settings: OptimizeConfig, embedder: Any, work: Optimization) -> Retriever:
    without = settings.evidence == "none" or getattr(settings.method, "retrieval", "") == "none"
    if without or settings.retriever is None:
        return NoEvidence()
    spec = settings.retriever.for_run(work.run.folder)
    found = spec.open(settings.paths.index, embedder)
    work.corpus_version = getattr(found, "corpus_version", None)
    return RememberingRetriever(found)


__all__ = ["target_of"]
