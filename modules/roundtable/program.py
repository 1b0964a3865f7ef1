"""The roundtable as a whole: personas, rounds of turns with evidence, the chair's closing."""

from __future__ import annotations

from typing import Any, NamedTuple

import dspy

from modules.argument_evidence import ArgumentEvidence
from modules.citations import Embedder
from modules.evidence import Background, NoEvidence, PersonaEvidence, Retriever
from modules.personas import PersonaPool
from modules.roundtable.backing import Backing
from modules.roundtable.chair import Advice, NeutralClosing, RoundModeration, heard
from modules.roundtable.listener import Listener, silent
from modules.roundtable.seating import MoreSeats
from modules.roundtable.settings import RoundtableSettings
from modules.roundtable.speaking import Speaking
from modules.roundtable.turns import Begun, Turns, as_speech
from modules.stage import Pending, Step, direct
from modules.summarize import HistorySummarizer
from signatures.table import Closing, Recommendation, RoundNote, Speech, TableTurn
from signatures.types import Passage, Persona, Pool


class RoundtableParts(NamedTuple):
    """A debate so far: everybody who spoke or is to speak, the rounds, and what the chair says."""

    personas: list[Persona]
    rounds: list[list[TableTurn]]
    moderation: list[RoundNote]
    closing: Closing | None
    recommendation: Recommendation | None
    notes: list[str]


ROOM_FOR_EVIDENCE = 0.15
"""The share of a turn's words that is left for what its sources add."""

NOTHING = RoundtableParts([], [], [], None, None, [])
"""A debate that has not begun."""


class Roundtable(dspy.Module):
    """Rounds of a debate in persona order; a debate can be taken up again where it stood.

    Turns are answered as they were spoken, so that evidence is put to one turn while the next is
    being made, or the debate closed: a round waits for its turns alone, and the debate for the
    evidence of its last.

    Example:
        >>> table = Roundtable(RoundtableSettings(), retriever, embedder)
        >>> with dspy.context(lm=dspy.LM("openai/gpt-4o-mini")):
        ...     parts = table(topic="Should humans colonize space?")
        >>> print(parts.rounds[0][0].text)
    """

    def __init__(
        self, settings: RoundtableSettings, retriever: Retriever, embedder: Embedder
    ) -> None:
        super().__init__()
        self.settings = settings
        table, recall = settings.debate, settings.recall
        self.recall = Background.within(recall, retriever, k=recall.background)
        self.pool = PersonaPool(
            minimum=table.personas, maximum=table.personas, pool="both", team_size=1
        )
        self.more = MoreSeats()
        self.gather = PersonaEvidence(retriever, k=recall.persona)
        self.shorten = HistorySummarizer(embedder)
        nothing = isinstance(retriever, NoEvidence)
        argue = None if nothing else arguing(settings, retriever, embedder)
        room = ROOM_FOR_EVIDENCE if argue is not None else 0.0
        self.turns = Turns(
            Speaking(word_limit=table.turn_words, asked=round(table.turn_words * (1 - room))),
            Backing(argue, word_limit=table.turn_words),
        )
        self.moderate = RoundModeration()
        self.close = NeutralClosing()
        self.advise = Advice()
        self.tell: Listener = silent

    def followed_by(self, tell: Listener) -> Roundtable:
        """The same table, with a listener who is told what happens."""
        self.tell = self.turns.speak.tell = self.turns.back.tell = tell
        return self

    def forward(
        self,
        *,
        topic: str,
        personas: list[Persona] | None = None,
        earlier: RoundtableParts = NOTHING,
        step: Step = direct,
    ) -> RoundtableParts:
        """The debate with all rounds that the settings ask for.

        Args:
            topic: A question or a proposition.
            personas: Who debates from now on, in the order of their turns; None has them created.
            earlier: The debate so far; its rounds stay as they are.
            step: Runs the stages.

        Raises:
            EvidenceError: There is no evidence on the topic.
            ReplyError: A model's replies stayed unusable.
        """
        known = personas if not self.settings.debate.more else None
        gathering = self._gathering(topic, known, step) if known else None
        background = step("background", self.recall, subject=topic)
        notes: list[str] = []
        if personas is None:
            pool = step("personas", self.pool, subject=topic, goal="support", background=background)
            personas, notes = pool.personas, pool.notes
        if self.settings.debate.more:
            found = self._more(topic, personas, earlier, background, step)
            personas, notes = personas + found.personas, notes + found.notes
        everybody = _together(personas, earlier.personas)
        self.tell("personas", personas=everybody, seated=[p.id for p in personas])
        evidence = (gathering or self._gathering(topic, personas, step)).result()
        evidence = {key: found or background for key, found in evidence.items()}
        begun, moderation = self._debate(topic, personas, everybody, evidence, earlier, step)
        names = {p.id: p.title for p in everybody}
        spoken = _spoken(earlier) + [speech for r in begun for b in r for speech in b.said()]
        spoke = {speech.speaker for speech in spoken}
        heard_from = [p.model_copy(update={"selected": True}) for p in everybody if p.id in spoke]
        lines = heard(spoken, names, moderation)
        given = {"topic": topic, "personas": heard_from, "turns": lines}
        settings = self.settings.debate
        closing = step.start("closing", self.close, **given) if lines and settings.closing else None
        advising = lines and settings.recommendation
        advice = step.start("recommendation", self.advise, **given) if advising else None
        rounds = [*earlier.rounds, *(self._backed(r) for r in begun)]
        return RoundtableParts(
            everybody, rounds, moderation, self._told("closing", closing),
            self._told("recommendation", advice), notes,
        )  # fmt: skip

    def _gathering(self, topic: str, personas: list[Persona], step: Step) -> Pending:
        """Passages for each persona, looked for beside those on the topic where that can be."""
        pool = Pool(personas=personas)
        return step.start("evidence", self.gather, pool=pool, subject=topic)

    def _backed(self, begun: list[Begun]) -> list[TableTurn]:
        """A round's turns with their evidence."""
        turns = []
        for batch in begun:
            turns += batch.turns
            for turn in () if batch.told else batch.turns:
                self.tell("turn", turn=turn.id, content=turn)
        return turns

    def _told(self, event: str, pending: Pending | None) -> Any:
        """What the chair says, once it is there."""
        if pending is None:
            return None
        content = pending.result()
        self.tell(event, content=content)
        return content

    def _more(
        self,
        topic: str,
        personas: list[Persona],
        earlier: RoundtableParts,
        background: list[Passage],
        step: Step,
    ) -> Pool:
        taken = {p.id for p in [*personas, *earlier.personas]}
        free = [name for name in (f"p{n}" for n in range(1, 100)) if name not in taken]
        count = self.settings.debate.more
        pool: Pool = step(
            "more personas", self.more,
            topic=topic, personas=personas, count=count, free=free[:count], background=background,
        )  # fmt: skip
        return pool

    def _debate(
        self,
        topic: str,
        personas: list[Persona],
        everybody: list[Persona],
        evidence: dict[str, list[Passage]],
        earlier: RoundtableParts,
        step: Step,
    ) -> tuple[list[list[Begun]], list[RoundNote]]:
        """The new rounds, all spoken, and all notes; the evidence is not waited for."""
        names = {p.id: p.title for p in everybody}
        spoken = _spoken(earlier)
        notes = list(earlier.moderation)
        rounds: list[list[Begun]] = []
        for number in range(len(earlier.rounds) + 1, self.settings.debate.rounds + 1):
            self.tell("round", round=number, seated=[p.id for p in personas])
            at = len(spoken)
            rounds.append([])
            for batch in self._batches(personas):
                history = heard(spoken, names, notes)
                begun = self.turns.begin(
                    step,
                    topic=topic,
                    speakers=batch,
                    evidence={p.id: evidence[p.id] for p in batch},
                    history=self.shorten(history, self.settings.debate.history_words),
                    number=number,
                    first=len(spoken) + 1,
                )
                rounds[-1].append(begun)
                spoken += begun.said()
            if self.settings.debate.moderator:
                fresh = heard(spoken[at:], names)
                note = step(
                    f"moderator-{number}", self.moderate,
                    topic=topic, personas=personas, turns=fresh, number=number,
                )  # fmt: skip
                self.tell("moderator", content=note)
                notes.append(note)
        return rounds, notes

    def _batches(self, personas: list[Persona]) -> list[list[Persona]]:
        """Who speaks at the same time: one after the other, or the whole round at once."""
        alone = self.settings.debate.mode == "continuous"
        return [[p] for p in personas] if alone else [personas]


def _spoken(parts: RoundtableParts) -> list[Speech]:
    return [as_speech(turn) for r in parts.rounds for turn in r]


def _together(seated: list[Persona], earlier: list[Persona]) -> list[Persona]:
    """Those seated, marked so, then those who spoke earlier and have left."""
    here = {p.id for p in seated}
    now = [p.model_copy(update={"selected": True}) for p in seated]
    left = [p.model_copy(update={"selected": False}) for p in earlier if p.id not in here]
    return now + left


def arguing(
    settings: RoundtableSettings, retriever: Retriever, embedder: Embedder
) -> ArgumentEvidence:
    """What puts evidence to a turn, as the settings say."""
    how = settings.citations
    return ArgumentEvidence(
        retriever,
        embedder,
        supported=how.supported,
        weak=how.weak,
        by=how.by,
        repair=how.repair,
        k=settings.recall.turn,
    )


__all__ = ["NOTHING", "Roundtable", "RoundtableParts", "arguing"]
