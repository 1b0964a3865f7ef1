"""Which flow has which configuration."""

from __future__ import annotations

from flows.config import (
    AnnotateConfig,
    DebateConfig,
    DiscussConfig,
    EssayConfig,
    EvaluationConfig,
    FlowConfig,
    IngestConfig,
    ScoreConfig,
)

CONFIGS: dict[str, type[FlowConfig]] = {
    "annotate": AnnotateConfig,
    "debate": DebateConfig,
    "discuss": DiscussConfig,
    "essay": EssayConfig,
    "evaluation": EvaluationConfig,
    "ingest": IngestConfig,
    "score": ScoreConfig,
}
"""Flow -> the type of its configuration."""

__all__ = ["CONFIGS"]
