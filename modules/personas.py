"""Persona assignment: the pool, and the team that argues (S1 section 2.1)."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Literal

from modules.evidence import numbered
from modules.lm.ask import Ask
from modules.stage import Stage
from signatures.errors import EvidenceError
from signatures.personas import Candidate, CreatePersonas, SelectTeam
from signatures.types import (
    EssayStance,
    Passage,
    Persona,
    PersonaDraft,
    Pool,
    TeamChoice,
)

Side = Literal["for", "against"]


def side_of(goal: EssayStance) -> Side:
    """The side a team holds: refuting a proposition is standing against it."""
    return "against" if goal == "refute" else "for"


def other_side(side: Side) -> Side:
    """The opposite side."""
    return "for" if side == "against" else "against"


class PersonaPool(Stage):
    """Creates a pool of personas grounded in retrieved background.

    A pool that lacks personas, or lacks a side, is asked for again with what is missing named;
    what still cannot be had is said in the pool's notes.

    Args:
        minimum: The fewest personas (S1: 5).
        maximum: The most personas (S1: 10).
        pool: ``both`` wants voices on both sides; ``one_sided`` wants only the essay's side, as
            in S1.
        team_size: How many personas the essay's side must offer (S1: 3).
        values: Whether personas hold values and norms that their claims follow from; a list names
            those they may hold.
        repairs: How many times to ask for what is missing.
    """

    def __init__(
        self,
        *,
        minimum: int,
        maximum: int,
        pool: str,
        team_size: int,
        values: bool | Sequence[str] = True,
        repairs: int = 2,
    ) -> None:
        super().__init__(
            minimum=minimum,
            maximum=maximum,
            pool=pool,
            team_size=team_size,
            values=values if isinstance(values, bool) else list(values),
        )
        self.create = Ask(CreatePersonas)
        self.repairs = repairs

    def forward(self, *, subject: str, goal: EssayStance, background: list[Passage]) -> Pool:
        """The pool, ids ``p1``, ``p2``, ... in order.

        Raises:
            EvidenceError: Not one persona on the essay's side could be grounded.
            ReplyError: The model's replies stayed unusable.
        """
        side = side_of(goal)
        both = self.settings["pool"] == "both"
        minimum, maximum = self.settings["minimum"], self.settings["maximum"]
        drafts = self._ask(subject, [], background, minimum, maximum, "both" if both else side)
        for _ in range(self.repairs):
            want = self._missing(drafts, side, both)
            if want is None:
                break
            count, sides = want
            more = self._ask(subject, drafts, background, count, count, sides)
            if not more:
                break
            drafts = _room(drafts, side, maximum - len(more)) + more
        return self._pool(drafts, side, both)

    def _ask(
        self,
        subject: str,
        existing: Sequence[PersonaDraft],
        background: Sequence[Passage],
        minimum: int,
        maximum: int,
        sides: str,
    ) -> list[PersonaDraft]:
        reply = self.create(
            proposition=subject,
            minimum=minimum,
            maximum=maximum,
            sides=sides,
            values=_asked(self.settings["values"]),
            existing=[_candidate(f"p{i}", d) for i, d in enumerate(existing, start=1)],
            background=numbered(background),
            # Having asked once, "nothing more" is an answer; at first it is a fault.
            check=lambda r: None if r.personas or existing else "no personas proposed",
        )
        valued = [_valued(draft, self.settings["values"]) for draft in reply.personas]
        fresh = _new(valued, existing)
        if self.settings["pool"] == "one_sided":
            fresh = [d for d in fresh if d.stance == sides]
        return fresh[:maximum]

    def _missing(
        self, drafts: Sequence[PersonaDraft], side: Side, both: bool
    ) -> tuple[int, str] | None:
        """How many more personas are needed and on which side, or None."""
        own = sum(d.stance == side for d in drafts)
        other = sum(d.stance == other_side(side) for d in drafts)
        if own < self.settings["team_size"]:
            return self.settings["team_size"] - own, side
        if both and other == 0:
            return 1, other_side(side)
        short = self.settings["minimum"] - len(drafts)
        return (short, "both" if both else side) if short > 0 else None

    def _pool(self, drafts: Sequence[PersonaDraft], side: Side, both: bool) -> Pool:
        own = sum(d.stance == side for d in drafts)
        notes = []
        if own == 0:
            raise EvidenceError(
                f"no persona {side} the proposition could be found",
                expected=f"at least one voice {side} it",
                got=f"{len(drafts)} personas, none {side}",
                remedy="ingest documents that argue that side, or change stance=",
            )
        if own < self.settings["team_size"]:
            notes.append(f"only {own} personas {side} the proposition could be found")
        if both and all(d.stance != other_side(side) for d in drafts):
            notes.append(f"the pool is one-sided: no persona {other_side(side)} was found")
        if len(drafts) < self.settings["minimum"]:
            notes.append(f"the pool has {len(drafts)} personas of {self.settings['minimum']}")
        if isinstance(self.settings["values"], list) and not all(d.values for d in drafts):
            without = sum(not d.values for d in drafts)
            notes.append(f"{without} of {len(drafts)} personas hold none of the values asked for")
        return Pool(
            personas=[Persona(id=f"p{i}", **d.model_dump()) for i, d in enumerate(drafts, start=1)],
            notes=notes,
        )


class TeamSelection(Stage):
    """Chooses the main team among the personas who share the essay's side.

    Args:
        team_size: How many to choose (S1: N = 3).
    """

    def __init__(self, *, team_size: int) -> None:
        super().__init__(team_size=team_size)
        self.select = Ask(SelectTeam)

    def forward(self, *, subject: str, goal: EssayStance, pool: Pool) -> list[Persona]:
        """The whole pool in its order, with ``selected`` and ``reason`` filled in.

        Raises:
            ReplyError: The model's replies stayed unusable.
        """
        candidates = [p for p in pool.personas if p.stance == side_of(goal)]
        size = min(self.settings["team_size"], len(candidates))
        reply = self.select(
            proposition=subject,
            goal=goal,
            team_size=size,
            candidates=[candidate(p) for p in candidates],
            check=lambda r: _bad_choices(r.choices, {p.id for p in candidates}, size),
        )
        reasons = {c.id: c.reason for c in reply.choices}
        return [
            p.model_copy(update={"selected": p.id in reasons, "reason": reasons.get(p.id)})
            for p in pool.personas
        ]


def candidate(persona: Persona) -> Candidate:
    """A persona as the prompts show it."""
    return Candidate(
        id=persona.id,
        title=persona.title,
        description=persona.description,
        claim=persona.claim,
        values=persona.values,
    )


def _candidate(id: str, draft: PersonaDraft) -> Candidate:
    return candidate(Persona(id=id, **draft.model_dump()))


def _asked(values: bool | list[str]) -> list[str] | str:
    """The values as the prompt puts them."""
    return ("any" if values else "none") if isinstance(values, bool) else values


def _valued(draft: PersonaDraft, allowed: bool | list[str]) -> PersonaDraft:
    """The draft with the values it may hold, each once, spelt as they were asked for."""
    held = [" ".join(value.split()) for value in draft.values]
    spelt = {value.casefold(): value for value in (held if allowed is True else allowed or [])}
    kept = [spelt[value.casefold()] for value in held if value.casefold() in spelt]
    return draft.model_copy(update={"values": [v for v in dict.fromkeys(kept) if v]})


def _new(drafts: Sequence[PersonaDraft], existing: Sequence[PersonaDraft]) -> list[PersonaDraft]:
    """Drafts whose title and claim are not taken yet, in order."""
    seen = {text.casefold() for d in existing for text in (d.title, d.claim)}
    kept = []
    for draft in drafts:
        names = {draft.title.casefold(), draft.claim.casefold()}
        if not names & seen:
            kept.append(draft)
            seen |= names
    return kept


def _room(drafts: Sequence[PersonaDraft], side: Side, limit: int) -> list[PersonaDraft]:
    """At most ``limit`` of the drafts: the last ones that are not on ``side`` give way first."""
    kept = list(drafts)
    for draft in reversed([d for d in drafts if d.stance != side]):
        if len(kept) <= limit:
            break
        kept.remove(draft)
    return kept[:limit]


def _bad_choices(choices: Sequence[TeamChoice], known: set[str], size: int) -> str | None:
    ids = [c.id for c in choices]
    if set(ids) - known:
        return f"unknown candidates {sorted(set(ids) - known)}"
    if len(ids) != size or len(set(ids)) != size:
        return f"{len(set(ids))} different candidates chosen, {size} wanted"
    return None


__all__ = ["PersonaPool", "TeamSelection", "candidate", "other_side", "side_of"]
