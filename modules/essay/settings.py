"""What every essay method can be told, section by section of the configuration."""

from __future__ import annotations

from typing import Annotated, Literal

from pydantic import Field, model_validator

from signatures.types import Record

Value = Annotated[str, Field(min_length=1, max_length=60)]
"""A value or norm, such as "fairness"."""


class PoolSettings(Record):
    """How many personas are created, on which sides, how many argue, and from which values.

    ``values``: whether personas hold values and norms that their claims follow from; a list names
    those they may hold.
    """

    minimum: int = Field(default=5, ge=1, le=20)
    maximum: int = Field(default=10, ge=1, le=20)
    pool: Literal["both", "one_sided"] = "both"
    team_size: int = Field(default=3, ge=1, le=10)
    values: bool | list[Value] = True

    @model_validator(mode="after")
    def _ordered(self) -> PoolSettings:
        if self.minimum > self.maximum:
            raise ValueError("minimum must not exceed maximum")
        if self.team_size > self.maximum:
            raise ValueError("team_size must not exceed maximum")
        return self


class DebateSettings(Record):
    """How long the planning debate may run, in rounds, and each turn, in words.

    ``measure``: whether each turn's novelty, stance and agreement are measured.
    ``stop_on_no_novelty`` is the novelty in [0, 1] below which a turn says nothing new; a round of
    such turns ends the debate. None lets it go on. ``history_words`` is how much of the debate a
    speaker is shown: a longer one is shortened by leaving sentences out.
    """

    max_rounds: int = Field(default=2, ge=1, le=20)
    measure: bool = True
    turn_words: int = Field(default=120, ge=20, le=1000)
    stop_on_no_novelty: float | None = Field(default=0.15, ge=0, le=1)
    history_words: int = Field(default=4000, ge=100, le=1_000_000)

    @model_validator(mode="after")
    def _measured(self) -> DebateSettings:
        if self.stop_on_no_novelty is not None and not self.measure:
            raise ValueError("stop_on_no_novelty needs measure")
        return self


class PlanSettings(Record):
    """How many main points a plan may have."""

    minimum: int = Field(default=3, ge=1, le=10)
    maximum: int = Field(default=5, ge=1, le=10)

    @model_validator(mode="after")
    def _ordered(self) -> PlanSettings:
        if self.minimum > self.maximum:
            raise ValueError("minimum must not exceed maximum")
        return self


class WritingSettings(Record):
    """The length to aim for, in words."""

    words: int = Field(default=500, ge=50, le=5000)


class RecallSettings(Record):
    """How many passages are fetched for the subject, each persona, each part of the plan.

    ``min_similarity``, ``sure_similarity`` and ``min_coverage`` say when the corpus holds evidence
    on the subject: see :class:`modules.evidence.Background`. The cosines' defaults are calibrated
    for the default embedder. ``shared`` makes personas and plans choose among the passages found
    for the subject instead of searching anew, so that compared methods have the same evidence.
    """

    background: int = Field(default=24, ge=1, le=200)
    persona: int = Field(default=6, ge=1, le=50)
    point: int = Field(default=5, ge=1, le=50)
    shared: bool = False
    min_similarity: float = Field(default=0.485, ge=-1, le=1)
    sure_similarity: float = Field(default=0.625, ge=-1, le=1)
    min_coverage: float = Field(default=0.5, ge=0, le=1)


class CitationSettings(Record):
    """How citations are checked.

    ``supported`` and ``weak`` are the probabilities of support from which the built-in check
    calls a citation supported, or weak; below is unsupported. ``by``: who decides, the built-in
    check or a judge, to whom it then comes second. ``repair``: whether sentences that nothing they
    cite bears out are rewritten, once. ``ahead``: whether passages are embedded while LMs are
    waited for, which saves a single essay some time, and costs a batch of many the processor.
    """

    supported: float = Field(default=0.65, ge=0, le=1)
    weak: float = Field(default=0.37, ge=0, le=1)
    by: Literal["built_in", "judge"] = "built_in"
    repair: bool = False
    ahead: bool = True

    @model_validator(mode="after")
    def _ordered(self) -> CitationSettings:
        if self.weak > self.supported:
            raise ValueError("weak must not exceed supported")
        return self


class EssaySettings(Record):
    """What every essay method can be told; each part is a section of the configuration."""

    personas: PoolSettings = PoolSettings()
    debate: DebateSettings = DebateSettings()
    plan: PlanSettings = PlanSettings()
    essay: WritingSettings = WritingSettings()
    recall: RecallSettings = RecallSettings()
    citations: CitationSettings = CitationSettings()


__all__ = [
    "CitationSettings",
    "DebateSettings",
    "EssaySettings",
    "PlanSettings",
    "PoolSettings",
    "RecallSettings",
    "WritingSettings",
]
