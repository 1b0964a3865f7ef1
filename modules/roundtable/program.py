"""The roundtable as a whole: personas, rounds of turns with evidence, the chair's closing."""

from __future__ import annotations

from typing import NamedTuple

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
    being made: a round waits for its turns alone, and the debate for the evidence of its last.

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
        self.recall = Background(
            retriever,
            k=recall.background,
            min_similarity=recall.min_similarity,
            sure_similarity=recall.sure_similarity,
            min_coverage=recall.min_coverage,
        )
        self.pool = PersonaPool(
            minimum=table.personas, maximum=table.personas, pool="both", team_size=1
        )
        self.more = MoreSeats()
        self.gather = PersonaEvidence(retriever, k=recall.persona)
        self.shorten = HistorySummarizer(embedder)
        argue = None if isinstance(retriever, NoEvidence) else _argue(settings, retriever, embedder)
        room = ROOM_FOR_EVIDENCE if argue is not None else 0.0
        self.speak = Speaking(
            word_limit=table.turn_words, asked=round(table.turn_words * (1 - room))
        )
        self.back = Backing(argue, word_limit=table.turn_words)
        self.moderate = RoundModeration()
        self.close = NeutralClosing()
        self.advise = Advice()
        self.tell: Listener = silent

    def followed_by(self, tell: Listener) -> Roundtable:
        """The same table, with a listener who is told what happens."""
        self.tell = self.speak.tell = self.back.tell = tell
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
        evidence = step("evidence", self.gather, pool=Pool(personas=personas), subject=topic)
        evidence = {key: found or background for key, found in evidence.items()}
        rounds, moderation = self._debate(topic, personas, everybody, evidence, earlier, step)
        names = {p.id: p.title for p in everybody}
        lines = heard([_as_speech(t) for r in rounds for t in r], names, moderation)
        spoke = {t.speaker for r in rounds for t in r}
        heard_from = [p.model_copy(update={"selected": True}) for p in everybody if p.id in spoke]
        given = {"topic": topic, "personas": heard_from, "turns": lines}
        closing = advice = None
        if rounds and self.settings.debate.closing:
            closing = step("closing", self.close, **given)
            self.tell("closing", content=closing)
        if rounds and self.settings.debate.recommendation:
            advice = step("recommendation", self.advise, **given)
            self.tell("recommendation", content=advice)
        return RoundtableParts(everybody, rounds, moderation, closing, advice, notes)

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
    ) -> tuple[list[list[TableTurn]], list[RoundNote]]:
        """The earlier rounds and the new ones; evidence is waited for when all is spoken."""
        names = {p.id: p.title for p in everybody}
        spoken = [_as_speech(t) for r in earlier.rounds for t in r]
        notes = list(earlier.moderation)
        pending: list[list[Pending]] = []
        for number in range(len(earlier.rounds) + 1, self.settings.debate.rounds + 1):
            self.tell("round", round=number, seated=[p.id for p in personas])
            begun = len(spoken)
            backing: list[Pending] = []
            for batch in self._batches(personas):
                history = heard(spoken, names, notes)
                said = step(
                    f"turns-{len(spoken) + 1}",
                    self.speak,
                    topic=topic,
                    speakers=batch,
                    evidence={p.id: evidence[p.id] for p in batch},
                    history=self.shorten(history, self.settings.debate.history_words),
                    number=number,
                    first=len(spoken) + 1,
                )
                name = f"sources-{len(spoken) + 1}"
                backing.append(step.start(name, self.back, topic=topic, speeches=said))
                spoken += said
            pending.append(backing)
            if self.settings.debate.moderator:
                fresh = heard(spoken[begun:], names)
                note = step(
                    f"moderator-{number}", self.moderate,
                    topic=topic, personas=personas, turns=fresh, number=number,
                )  # fmt: skip
                self.tell("moderator", content=note)
                notes.append(note)
        made = [[turn for batch in backing for turn in batch.result()] for backing in pending]
        for turn in (t for r in made for t in r):
            self.tell("turn", turn=turn.id, content=turn)
        return [*earlier.rounds, *made], notes

    def _batches(self, personas: list[Persona]) -> list[list[Persona]]:
        """Who speaks at the same time: one after the other, or the whole round at once."""
        alone = self.settings.debate.mode == "continuous"
        return [[p] for p in personas] if alone else [personas]


def _as_speech(turn: TableTurn) -> Speech:
    fields = turn.model_dump(include=set(Speech.model_fields))
    return Speech(**{**fields, "text": turn.spoken})


def _together(seated: list[Persona], earlier: list[Persona]) -> list[Persona]:
    """Those seated, marked so, then those who spoke earlier and have left."""
    here = {p.id for p in seated}
    now = [p.model_copy(update={"selected": True}) for p in seated]
    left = [p.model_copy(update={"selected": False}) for p in earlier if p.id not in here]
    return now + left


def _argue(
    settings: RoundtableSettings, retriever: Retriever, embedder: Embedder
) -> ArgumentEvidence:
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


__all__ = ["NOTHING", "Roundtable", "RoundtableParts"]
