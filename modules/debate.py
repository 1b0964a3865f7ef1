"""The planning debate between the main team and its critic (S1 section 2.2, Figure 8)."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from modules.evidence import numbered
from modules.lm.ask import Ask
from modules.personas import candidate, other_side, side_of
from modules.stage import Stage
from signatures.debate import CriticTurn, TeamTurn
from signatures.types import Debate, EssayStance, Passage, Persona, TranscriptLine, Turn

CRITIC = "critic"


class PlanningDebate(Stage):
    """Rounds of team turns in persona order, each round closed by the critic.

    It ends when every team member is satisfied and the critic is persuaded in the same round, or
    after ``max_rounds``. An engine that does not judge leaves both open and runs all rounds.

    Args:
        max_rounds: The most rounds.
        word_limit: The most words a turn is asked for.
        k_critic: The most passages the critic is given.
    """

    def __init__(self, *, max_rounds: int, word_limit: int, k_critic: int = 12) -> None:
        super().__init__(max_rounds=max_rounds, word_limit=word_limit, k_critic=k_critic)
        self.team_turn = Ask(TeamTurn)
        self.critic_turn = Ask(CriticTurn)

    def forward(
        self,
        *,
        subject: str,
        goal: EssayStance,
        personas: list[Persona],
        evidence: dict[str, list[Passage]],
        background: list[Passage],
    ) -> Debate:
        """All turns in order, ids ``t1``, ``t2``, ...

        Args:
            subject: The proposition.
            goal: What the team sets out to do with it.
            personas: The pool; selected personas are the team, those on the other side inform
                the critic.
            evidence: Persona id -> passages for that persona's claim.
            background: Passages on the subject itself, which the critic may use too.
        """
        team = [p for p in personas if p.selected]
        opposing = [p for p in personas if p.stance == other_side(side_of(goal))]
        names = {p.id: p.title for p in personas} | {CRITIC: "Critic"}
        against = _merged([evidence[p.id] for p in opposing], background, self.settings["k_critic"])
        turns: list[Turn] = []
        for number in range(1, self.settings["max_rounds"] + 1):
            satisfied = []
            for persona in team:
                reply, turn = self._team(
                    subject, goal, persona, evidence[persona.id], turns, names, number
                )
                turns.append(turn)
                satisfied.append(reply.satisfied is True)
            reply, turn = self._critic(subject, goal, opposing, against, turns, names, number)
            turns.append(turn)
            if all(satisfied) and reply.persuaded is True:
                return Debate(turns=turns, ended="agreed")
        return Debate(turns=turns, ended="max_rounds")

    def _team(
        self,
        subject: str,
        goal: EssayStance,
        persona: Persona,
        passages: Sequence[Passage],
        turns: Sequence[Turn],
        names: dict[str, str],
        number: int,
    ) -> tuple[Any, Turn]:
        reply = self.team_turn(
            proposition=subject,
            goal=goal,
            persona=candidate(persona),
            transcript=_transcript(turns, names),
            evidence=numbered(passages),
            word_limit=self.settings["word_limit"],
            check=_empty,
        )
        return reply, _turn(reply, turns, persona.id, "team", passages, number)

    def _critic(
        self,
        subject: str,
        goal: EssayStance,
        opposing: Sequence[Persona],
        passages: Sequence[Passage],
        turns: Sequence[Turn],
        names: dict[str, str],
        number: int,
    ) -> tuple[Any, Turn]:
        reply = self.critic_turn(
            proposition=subject,
            team_goal=goal,
            opposing_voices=[candidate(p) for p in opposing],
            transcript=_transcript(turns, names),
            evidence=numbered(passages),
            word_limit=self.settings["word_limit"],
            check=_empty,
        )
        return reply, _turn(reply, turns, CRITIC, "critic", passages, number)


def transcript(debate: Debate, personas: Sequence[Persona]) -> list[TranscriptLine]:
    """A finished debate as an LM sees it."""
    return _transcript(debate.turns, {p.id: p.title for p in personas} | {CRITIC: "Critic"})


def _transcript(turns: Sequence[Turn], names: dict[str, str]) -> list[TranscriptLine]:
    return [TranscriptLine(id=t.id, speaker=names[t.speaker], text=t.text) for t in turns]


def _turn(
    reply: Any,
    turns: Sequence[Turn],
    speaker: str,
    role: Any,
    passages: Sequence[Passage],
    number: int,
) -> Turn:
    """The reply as a turn: references that point nowhere are mended or dropped."""
    known = {t.id for t in turns}
    answered = reply.replies_to if reply.replies_to in known else None
    if answered is None and turns:
        answered = turns[-1].id
    used = sorted({n for n in reply.evidence_used if 1 <= n <= len(passages)})
    return Turn(
        id=f"t{len(turns) + 1}",
        round=number,
        speaker=speaker,
        role=role,
        text=reply.text.strip(),
        replies_to=answered,
        relation=reply.relation if answered is not None else "none",
        evidence=[passages[n - 1].id for n in used],
    )


def _merged(
    lists: Sequence[Sequence[Passage]], rest: Sequence[Passage], limit: int
) -> list[Passage]:
    """Passages taken in turn from each list, then from ``rest``, each once, ``limit`` at most."""
    merged: dict[str, Passage] = {}
    for rank in range(max((len(x) for x in lists), default=0)):
        for passages in lists:
            if rank < len(passages):
                merged.setdefault(passages[rank].id, passages[rank])
    for passage in rest:
        merged.setdefault(passage.id, passage)
    return list(merged.values())[:limit]


def _empty(reply: Any) -> str | None:
    return None if reply.text.strip() else "the turn is empty"


__all__ = ["CRITIC", "PlanningDebate", "transcript"]
