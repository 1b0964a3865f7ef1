"""The data that parts of Moot exchange: frozen, typed, JSON in and out.

Everything here is a pydantic model that refuses unknown keys, so that a result on disk, a
field of an LM reply and a Python object are one thing with one definition.
"""

from __future__ import annotations

from typing import Annotated, Literal

from pydantic import BaseModel, ConfigDict, Field

Stance = Literal["for", "against", "neutral"]
"""A position towards the proposition."""

SIGNS: dict[Stance, int] = {"for": 1, "against": -1, "neutral": 0}
"""A stance as a number."""

EssayStance = Literal["refute", "support"]
"""What an essay sets out to do with the proposition (S1 refutes)."""

Relation = Literal["support", "oppose", "none"]
"""How a turn stands to the turn it answers (S1, Figure 2)."""

Verdict = Literal["supported", "weak", "unsupported"]
"""Whether a cited passage bears out the sentence that cites it."""

Text = Annotated[str, Field(min_length=1)]


class Record(BaseModel):
    """Base of every exchanged value."""

    model_config = ConfigDict(frozen=True, extra="forbid")


# --- evidence ---------------------------------------------------------------------------------


class Passage(Record):
    """One retrieved chunk of a document.

    ``id`` is the chunk's content hash; ``similarity`` is the cosine between the query and the
    chunk, in [-1, 1], or None where the ranking gave none.
    """

    id: Text
    text: Text
    source: Text
    title: str
    similarity: float | None = None


class Evidence(Record):
    """A passage as an LM sees it: numbered, so that it can be cited as ``[number]``."""

    number: Annotated[int, Field(ge=1)]
    title: str
    text: str


class Citation(Record):
    """One cited sentence and the passage it cites.

    ``quote`` is the span of the passage that best bears out ``sentence``. A passage cited by
    several sentences keeps one marker and has one citation for each of them.
    """

    marker: Annotated[int, Field(ge=1)]
    chunk_id: Text
    source: Text
    title: str
    sentence: str
    quote: str
    verdict: Verdict


class CitationFigures(Record):
    """Figures over the citations of one text; None where the denominator is zero.

    ``precision``: share of citations whose verdict is ``supported``.
    ``recall``: share of the text's claim sentences that carry a supported citation.
    ``evidence_balance``: 1 when cited passages are split evenly between the sides, 0 when all
    stand on one side (normalised entropy over for/against).
    """

    precision: Annotated[float, Field(ge=0, le=1)] | None = None
    recall: Annotated[float, Field(ge=0, le=1)] | None = None
    evidence_balance: Annotated[float, Field(ge=0, le=1)] | None = None


# --- personas and debate ----------------------------------------------------------------------


class PersonaDraft(Record):
    """One persona: who speaks, from what background, and what they claim."""

    title: Text = Field(description="who speaks: a role or community, two to five words")
    description: Text = Field(
        description="one sentence on background and experience only, never on the opinion held"
    )
    claim: Text = Field(description="one sentence: the persona's own claim on the proposition")
    emoji: Text = Field(description="a single emoji for the perspective")
    stance: Stance = Field(
        description="'for' if the claim favours the proposition, 'against' if it opposes it, "
        "'neutral' if it does neither"
    )
    values: list[str] = Field(
        default_factory=list,
        description="up to three values or norms the persona argues from, one or two words each",
    )


class Persona(Record):
    """A member of the pool. ``selected`` marks the main team, ``reason`` says why."""

    id: Text
    title: Text
    description: Text
    claim: Text
    emoji: Text
    stance: Stance
    values: list[str] = Field(default_factory=list)
    selected: bool = False
    reason: str | None = None


class Pool(Record):
    """The personas of a subject; ``notes`` says what could not be had."""

    personas: list[Persona]
    notes: list[str] = Field(default_factory=list)


class TeamChoice(Record):
    """One selected candidate."""

    id: Text = Field(description="the candidate's id, copied exactly")
    reason: Text = Field(description="one sentence: what this persona adds that the others lack")


class Turn(Record):
    """One contribution to a debate; ``evidence`` holds chunk ids, ``round`` counts from 1.

    ``novelty``, ``stance``, ``drift`` and ``agreement`` are measured on its text, None where that
    was not done: see :mod:`modules.debate_quality`.
    """

    id: Text
    round: Annotated[int, Field(ge=1)]
    speaker: Text
    role: Literal["team", "critic"]
    text: Text
    replies_to: str | None = None
    relation: Relation = "none"
    evidence: list[str] = Field(default_factory=list)
    novelty: Annotated[float, Field(ge=0, le=1)] | None = None
    stance: Annotated[float, Field(ge=-1, le=1)] | None = None
    drift: Annotated[float, Field(ge=0, le=1)] | None = None
    agreement: Annotated[float, Field(ge=0, le=1)] | None = None


class TranscriptLine(Record):
    """A turn as an LM sees it."""

    id: str
    speaker: str
    text: str


class Debate(Record):
    """All turns, and why the debate ended; ``no_debate`` is the end of a method without one."""

    turns: list[Turn]
    ended: Literal["agreed", "max_rounds", "no_novelty", "no_debate"]


class DebateFigures(Record):
    """Figures over a whole debate; None where nothing was measured.

    ``novelty``, ``drift`` and ``agreement`` are means over its turns (novelty without the first
    turn, before which nothing was said), ``supporting`` is the share of answering turns whose
    speakers say that they support what they answer.
    """

    novelty: Annotated[float, Field(ge=0, le=1)] | None = None
    drift: Annotated[float, Field(ge=0, le=1)] | None = None
    agreement: Annotated[float, Field(ge=0, le=1)] | None = None
    supporting: Annotated[float, Field(ge=0, le=1)] | None = None


class ArgumentNode(Record):
    """A turn as a node of the argument graph; ``label`` begins what it says."""

    id: Text
    round: Annotated[int, Field(ge=1)]
    speaker: Text
    name: str
    label: str


class ArgumentEdge(Record):
    """A turn that supports or opposes the turn it answers."""

    source: Text
    target: Text
    relation: Literal["support", "oppose"]


class ArgumentGraph(Record):
    """Who answered what, and how (S1, Figure 2)."""

    nodes: list[ArgumentNode] = Field(default_factory=list)
    edges: list[ArgumentEdge] = Field(default_factory=list)


# --- plan and essay ---------------------------------------------------------------------------


class PlanPoint(Record):
    """A main point of an essay and the sub-points that carry it."""

    point: Text = Field(description="a main point of the essay, one sentence")
    subpoints: list[str] = Field(description="one to three sub-points supporting it")


class Plan(Record):
    """The outline an essay is written from."""

    acknowledgment: str | None = Field(
        default=None,
        description="the strongest point of the other side, worth conceding; null if none",
    )
    points: list[PlanPoint] = Field(description="the main points in the order of the essay")


class Reason(Record):
    """A reason that carries a claim."""

    reason: Text = Field(description="the reason, one sentence without markers")
    explanation: str = Field(description="how it carries the claim, one to three sentences")


class Concession(Record):
    """What an argument grants the other side, and why its claim stands all the same."""

    objection: Text = Field(description="the strongest objection, one sentence, fairly put")
    answer: str = Field(description="the answer to it, one or two sentences")


class Revision(Record):
    """What a reviewer made of one draft of a component; ``feedback`` is None where it stood."""

    component: Text
    draft: str
    feedback: str | None = None


class Discourse(Record):
    """An argument by its components (AMERICANO), with the reviews they went through."""

    claim: Text
    reasons: list[Reason]
    concession: Concession
    revisions: list[Revision] = Field(default_factory=list)


class PartEvidence(Record):
    """The passages retrieved for one part of a plan."""

    part: Text
    passages: list[Passage]


class Draft(Record):
    """An essay as written; its markers number ``passages`` from 1, and may be out of range."""

    text: Text
    passages: list[Passage]


class Essay(Record):
    """A finished essay: text with ``[n]`` markers that all resolve to ``citations``.

    ``uncited`` lists the sentences that carry no supported citation; ``notes`` says what the
    check could not do.
    """

    text: Text
    citations: list[Citation]
    uncited: list[str]
    figures: CitationFigures
    notes: list[str] = Field(default_factory=list)


class Perspective(Record):
    """A point of view on a question, with the case for it (S4's partial answer, cited).

    ``explanation`` carries ``[n]`` markers that resolve to ``citations``; they number passages as
    the answer beside it does.
    """

    point_of_view: Text
    explanation: str
    citations: list[Citation] = Field(default_factory=list)


class Sample(Record):
    """One of several samples of an essay, with the judge's rating (None: it abstained).

    ``number`` counts from 1; ``tokens`` is what writing and rating it cost.
    """

    number: Annotated[int, Field(ge=1)]
    value: float | None
    explanation: str
    tokens: int
    chosen: bool


# --- accounting -------------------------------------------------------------------------------


class Usage(Record):
    """What a piece of work cost.

    ``calls`` reached a backend and succeeded, ``cached_calls`` were answered by the cache,
    ``failed_attempts`` reached for a backend and failed, ``units_reused`` are stages or items
    taken whole from earlier work. ``usd`` is None when any call had no known price.
    """

    calls: int = 0
    cached_calls: int = 0
    failed_attempts: int = 0
    units_reused: int = 0
    input_tokens: int = 0
    cached_input_tokens: int = 0
    output_tokens: int = 0
    usd: float | None = 0.0

    def __add__(self, other: Usage) -> Usage:
        known = self.usd is not None and other.usd is not None
        return Usage(
            calls=self.calls + other.calls,
            cached_calls=self.cached_calls + other.cached_calls,
            failed_attempts=self.failed_attempts + other.failed_attempts,
            units_reused=self.units_reused + other.units_reused,
            input_tokens=self.input_tokens + other.input_tokens,
            cached_input_tokens=self.cached_input_tokens + other.cached_input_tokens,
            output_tokens=self.output_tokens + other.output_tokens,
            usd=(self.usd or 0.0) + (other.usd or 0.0) if known else None,
        )


class RunRecord(Record):
    """Where a result came from.

    ``models`` maps each role to the model that filled it, ``programs`` each tuned program that was
    used (``answer/basic``, ``judge/quality``) to what named it and the digest of its prompts.
    ``usage_total`` sums what the run's units cost when they were made, whichever invocation made
    them.
    """

    id: Text
    config_hash: Text
    models: dict[str, str]
    programs: dict[str, str] = Field(default_factory=dict)
    corpus_version: str | None
    dir: Text
    usage_total: Usage
