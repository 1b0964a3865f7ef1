"""The configuration of ``moot curate``."""

from __future__ import annotations

from typing import Literal

from pydantic import Field, InstanceOf

from evals.contract import Metric
from flows.config import AskingConfig
from flows.sections import Section
from modules.curation import CurationSettings
from modules.retrieval.specs import RerankSpec, RetrieverSpec


class Gate(Section):
    """When there is evidence on a question: see :class:`modules.evidence.Background`."""

    min_similarity: float = Field(ge=-1, le=1)
    sure_similarity: float = Field(ge=-1, le=1)
    min_coverage: float = Field(ge=0, le=1)


class CurateConfig(AskingConfig):
    """``moot curate``; its subject is a file of questions."""

    metrics: dict[str, InstanceOf[Metric]] = Field(default_factory=dict, max_length=0)
    limit: int | None = Field(ge=1)
    trusted: bool | None
    curation: CurationSettings
    rerank: RerankSpec
    recall: Gate
    retriever: InstanceOf[RetrieverSpec]
    max_failed: float = Field(ge=0, le=1)

    @property
    def evidence(self) -> Literal["corpus"]:
        """Where documents come from: always a retriever."""
        return "corpus"

    @property
    def source(self) -> RetrieverSpec:
        """The retriever, held to trusted domains as ``trusted`` says."""
        return self.retriever if self.trusted is None else self.retriever.trusting(self.trusted)


__all__ = ["CurateConfig", "Gate"]
