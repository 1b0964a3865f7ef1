"""Planning debates: a main team, or one planner, against a critic (S1 section 2.2, Figure 8)."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from contextlib import contextmanager
from typing import Any, Literal, NamedTuple

from modules.beside import Meanwhile, beside
from modules.debate_quality import DebateMeter, Measure, nothing_new
from modules.evidence import numbered
from modules.lm.ask import Ask
from modules.personas import candidate, other_side, side_of
from modules.stage import Stage
from modules.summarize import HistorySummarizer
from signatures.debate import CriticTurn, TeamTurn
from signatures.methods import PlannerTurn
from signatures.types import Debate, EssayStance, Passage, Persona, TranscriptLine, Turn

CRITIC = "critic"
PLANNER = "planner"

NAMES = {CRITIC: "Critic", PLANNER: "Planner"}
"""Speakers that are no personas, as the transcript shows them."""


class Speaker(NamedTuple):
    """Somebody who takes turns: ``ask(transcript)`` brings the reply, ``passages`` number it."""

    id: str
    role: Literal["team", "critic"]
    passages: Sequence[Passage]
    ask: Callable[[list[TranscriptLine]], Any]


class DebateStage(Stage):
    """Rounds in which every speaker takes one turn, in order, each answering what came before.

    A debate ends ``agreed`` when in one round every speaker who says so is content (the team
    satisfied, the critic persuaded), ``no_novelty`` when a whole round after the first says
    nothing new, or ``max_rounds``. An engine that does not judge leaves contentment open.

    Args:
        max_rounds: The most rounds.
        word_limit: The most words a turn is asked for.
        meter: Measures each turn; None leaves the turns unmeasured.
        stop_on_no_novelty: The novelty in [0, 1] below which a turn says nothing new; None lets
            the debate go on. It needs a meter.
        shorten: Shortens what speakers are shown of the debate; None shows all of it.
        history_words: The words from which it is shortened.
        settings: What else the debate depends on.
    """

    def __init__(
        self,
        *,
        max_rounds: int,
        word_limit: int,
        meter: DebateMeter | None = None,
        stop_on_no_novelty: float | None = None,
        shorten: HistorySummarizer | None = None,
        history_words: int = 4000,
        **settings: Any,
    ) -> None:
        if meter is None and stop_on_no_novelty is not None:
            raise ValueError("stop_on_no_novelty needs a meter")
        super().__init__(
            max_rounds=max_rounds,
            word_limit=word_limit,
            meter=None if meter is None else meter.name,
            stop_on_no_novelty=stop_on_no_novelty,
            shorten=None if shorten is None else shorten.name,
            history_words=history_words,
            **settings,
        )
        self.meter = meter
        self.shorten = shorten

    def _run(
        self,
        subject: str,
        goal: EssayStance,
        speakers: Sequence[Speaker],
        names: dict[str, str],
    ) -> Debate:
        """All turns in order, ids ``t1``, ``t2``, ..., measured where there is a meter."""
        turns: list[Turn] = []
        with _minutes(None if self.meter is None else self.meter.start(subject, goal)) as minutes:
            for number in range(1, self.settings["max_rounds"] + 1):
                content = []
                for speaker in speakers:
                    reply = speaker.ask(self._heard(turns, names))
                    turns.append(_turn(reply, turns, speaker, number))
                    minutes.take(turns[-1])
                    done = reply.satisfied if speaker.role == "team" else reply.persuaded
                    content.append(done is True)
                if all(content):
                    return Debate(turns=minutes.turns(), ended="agreed")
                if number > 1 and self._nothing_new(minutes, number):
                    return Debate(turns=minutes.turns(), ended="no_novelty")
            return Debate(turns=minutes.turns(), ended="max_rounds")

    def _nothing_new(self, minutes: _Minutes, number: int) -> bool:
        threshold = self.settings["stop_on_no_novelty"]
        return threshold is not None and nothing_new(minutes.turns(), number, threshold)

    def _heard(self, turns: Sequence[Turn], names: dict[str, str]) -> list[TranscriptLine]:
        lines = _transcript(turns, names)
        if self.shorten is None:
            return lines
        return self.shorten(lines, self.settings["history_words"])

    def _critic(
        self,
        turn: Ask,
        subject: str,
        goal: EssayStance,
        passages: Sequence[Passage],
        opposing: Sequence[Persona],
    ) -> Speaker:
        """The critic, who speaks for the ``opposing`` personas where there are any."""

        def ask(lines: list[TranscriptLine]) -> Any:
            return turn(
                proposition=subject,
                team_goal=goal,
                opposing_voices=[candidate(p) for p in opposing],
                transcript=lines,
                evidence=numbered(passages),
                word_limit=self.settings["word_limit"],
                check=_empty,
            )

        return Speaker(CRITIC, "critic", passages, ask)


class _Minutes:
    """The turns as measured: in their order, in a thread beside the next speaker's call."""

    def __init__(self, measure: Measure | None, thread: ThreadPoolExecutor) -> None:
        self._measure = measure
        self._thread = thread
        self._earlier: list[Turn] = []  # of the measuring thread alone
        self._taken: list[Future[Turn]] = []

    def take(self, turn: Turn) -> None:
        self._taken.append(self._thread.submit(self._measured, turn))

    def turns(self) -> list[Turn]:
        return [taken.result() for taken in self._taken]

    def _measured(self, turn: Turn) -> Turn:
        if self._measure is not None:
            turn = self._measure(turn, self._earlier)
        self._earlier.append(turn)
        return turn


@contextmanager
def _minutes(measure: Measure | None) -> Iterator[_Minutes]:
    with ThreadPoolExecutor(1, thread_name_prefix="minutes") as thread:
        yield _Minutes(measure, thread)


class PlanningDebate(DebateStage):
    """Rounds of team turns in persona order, each round closed by the critic.

    Args:
        max_rounds: The most rounds.
        word_limit: The most words a turn is asked for.
        k_critic: The most passages the critic is given.
        critic: Whether there is a critic; without one the team debates among itself.
        meanwhile: What can be done with all the passages while LMs are asked.
        **more: A meter and ``stop_on_no_novelty``, see :class:`DebateStage`.
    """

    def __init__(
        self,
        *,
        max_rounds: int,
        word_limit: int,
        k_critic: int = 12,
        critic: bool = True,
        meanwhile: Meanwhile = list,
        **more: Any,
    ) -> None:
        super().__init__(
            max_rounds=max_rounds, word_limit=word_limit, k_critic=k_critic, critic=critic, **more
        )
        self._meanwhile = meanwhile
        self.team_turn = Ask(TeamTurn)
        self.critic_turn = Ask(CriticTurn) if critic else None

    def forward(
        self,
        *,
        subject: str,
        goal: EssayStance,
        personas: list[Persona],
        evidence: dict[str, list[Passage]],
        background: list[Passage],
    ) -> Debate:
        """The debate.

        Args:
            subject: The proposition.
            goal: What the team sets out to do with it.
            personas: The pool; selected personas are the team, those on the other side inform
                the critic.
            evidence: Persona id -> passages for that persona's claim.
            background: Passages on the subject itself, which the critic may use too.

        Raises:
            ReplyError: The model's replies stayed unusable.
        """
        speakers = [self._member(subject, goal, p, evidence[p.id]) for p in personas if p.selected]
        if self.critic_turn is not None:
            opposing = [p for p in personas if p.stance == other_side(side_of(goal))]
            theirs = [evidence[p.id] for p in opposing]
            against = merged(theirs, background)[: self.settings["k_critic"]]
            speakers.append(self._critic(self.critic_turn, subject, goal, against, opposing))
        given = merged([evidence[p.id] for p in personas], background)
        with beside(lambda: self._meanwhile(given)):
            return self._run(subject, goal, speakers, _names(personas))

    def _member(
        self, subject: str, goal: EssayStance, persona: Persona, passages: Sequence[Passage]
    ) -> Speaker:
        def ask(lines: list[TranscriptLine]) -> Any:
            return self.team_turn(
                proposition=subject,
                goal=goal,
                persona=candidate(persona),
                transcript=lines,
                evidence=numbered(passages),
                word_limit=self.settings["word_limit"],
                check=_empty,
            )

        return Speaker(persona.id, "team", passages, ask)


class AgentDebate(DebateStage):
    """One planner, without a persona, against the critic (S1's AGENT-DEBATE, appendix A.2)."""

    def __init__(self, *, max_rounds: int, word_limit: int, **more: Any) -> None:
        super().__init__(max_rounds=max_rounds, word_limit=word_limit, **more)
        self.planner_turn = Ask(PlannerTurn)
        self.critic_turn = Ask(CriticTurn)

    def forward(self, *, subject: str, goal: EssayStance, background: list[Passage]) -> Debate:
        """The debate; both agents draw on the same passages.

        Raises:
            ReplyError: The model's replies stayed unusable.
        """

        def ask(lines: list[TranscriptLine]) -> Any:
            return self.planner_turn(
                proposition=subject,
                goal=goal,
                transcript=lines,
                evidence=numbered(background),
                word_limit=self.settings["word_limit"],
                check=_empty,
            )

        planner = Speaker(PLANNER, "team", background, ask)
        opponent = self._critic(self.critic_turn, subject, goal, background, [])
        return self._run(subject, goal, [planner, opponent], NAMES)


def transcript(debate: Debate, personas: Sequence[Persona]) -> list[TranscriptLine]:
    """A finished debate as an LM sees it."""
    return _transcript(debate.turns, _names(personas))


def _names(personas: Sequence[Persona]) -> dict[str, str]:
    return {p.id: p.title for p in personas} | NAMES


def _transcript(turns: Sequence[Turn], names: dict[str, str]) -> list[TranscriptLine]:
    return [TranscriptLine(id=t.id, speaker=names[t.speaker], text=t.text) for t in turns]


def _turn(reply: Any, turns: Sequence[Turn], speaker: Speaker, number: int) -> Turn:
    """The reply as a turn: references that point nowhere are mended or dropped."""
    known = {t.id for t in turns}
    answered = reply.replies_to if reply.replies_to in known else None
    if answered is None and turns:
        answered = turns[-1].id
    used = sorted({n for n in reply.evidence_used if 1 <= n <= len(speaker.passages)})
    return Turn(
        id=f"t{len(turns) + 1}",
        round=number,
        speaker=speaker.id,
        role=speaker.role,
        text=reply.text.strip(),
        replies_to=answered,
        relation=reply.relation if answered is not None else "none",
        evidence=[speaker.passages[n - 1].id for n in used],
    )


def merged(lists: Sequence[Sequence[Passage]], rest: Sequence[Passage]) -> list[Passage]:
    """Passages taken in turn from each list, then from ``rest``, each once."""
    found: dict[str, Passage] = {}
    for rank in range(max((len(x) for x in lists), default=0)):
        for passages in lists:
            if rank < len(passages):
                found.setdefault(passages[rank].id, passages[rank])
    for passage in rest:
        found.setdefault(passage.id, passage)
    return list(found.values())


def _empty(reply: Any) -> str | None:
    return None if reply.text.strip() else "the turn is empty"


__all__ = ["CRITIC", "NAMES", "PLANNER", "AgentDebate", "PlanningDebate", "merged", "transcript"]
