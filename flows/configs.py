"""Which flow has which configuration."""

from __future__ import annotations

from flows.answer_config import AnswerConfig
from flows.config import (
    AnnotateConfig,
    DebateConfig,
    DiscussConfig,
    EssayConfig,
    FlowConfig,
    IngestConfig,
    ScoreConfig,
)
from flows.curate_config import CurateConfig
from flows.evaluation_config import EvaluationConfig
from flows.meta_config import MetaConfig
from flows.optimize_config import OptimizeConfig
from flows.retrieval_config import RetrievalConfig

CONFIGS: dict[str, type[FlowConfig]] = {
    "annotate": AnnotateConfig,
    "answer": AnswerConfig,
    "curate": CurateConfig,
    "debate": DebateConfig,
    "discuss": DiscussConfig,
    "essay": EssayConfig,
    "evaluation": EvaluationConfig,
    "ingest": IngestConfig,
    "meta": MetaConfig,
    "optimize": OptimizeConfig,
    "retrieval": RetrievalConfig,
    "score": ScoreConfig,
}
"""Flow -> the type of its configuration."""

__all__ = ["CONFIGS"]
