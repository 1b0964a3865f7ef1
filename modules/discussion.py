"""Synthetic discussions: users and a moderator who take turns (S2 section 3.2.1, algorithm 1)."""

from __future__ import annotations

import math
import random
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from typing import Any, Literal

from modules.evidence import numbered
from modules.lm.ask import Ask
from modules.lm.once import once
from modules.stage import Stage
from signatures.discussion import GroundedUserTurn, ModeratorTurn, UserTurn
from signatures.errors import ReplyError
from signatures.moderation import (
    Action,
    Actor,
    Ban,
    Comment,
    Discussion,
    DiscussionPlan,
    DiscussionTurn,
)
from signatures.types import Passage

NO_RESPONSE = "<no response>"
"""What the thesis' moderators are told to write when they have nothing to say."""

ABSTAINED = "the engine does not judge"


class Discuss(Stage):
    """One discussion, from its plan to its last turn.

    Each round every user speaks once, in the plan's order (``round_robin``), or as many users as
    there are are drawn by weight, none twice running while another may speak (``weighted``). The
    moderator, if there is one, may act after every user. A reply that stays unusable costs that
    turn alone: the actor stays silent, and the log says why.

    It ends after ``rounds``, or when so many users have left or been banned for good that no two
    remain (none, where it began with one).

    Example:
        >>> stage = Discuss()
        >>> with dspy.context(lm=dspy.LM("openai/gpt-4o-mini")):
        ...     discussion = stage(plan=plan, passages=[])
    """

    def __init__(self, *, grounded: bool = False) -> None:
        super().__init__(grounded=grounded)
        self.user = Ask(GroundedUserTurn if grounded else UserTurn)
        self.moderate = Ask(ModeratorTurn)

    def forward(self, *, plan: DiscussionPlan, passages: list[Passage]) -> Discussion:
        """The discussion.

        Args:
            plan: Who talks about what, how long, in which order.
            passages: What users may draw on; empty unless the stage is ``grounded``.
        """
        floor = _Floor(plan)
        for number in range(1, plan.rounds + 1):
            floor.round = number
            for user in floor.line():
                spoke = self._speak(floor, user, passages)
                if spoke and plan.moderator is not None and not floor.over():
                    self._moderate(floor, plan.moderator)
                if floor.over():
                    return floor.closed("users_left")
        return floor.closed("rounds")

    def _speak(self, floor: _Floor, user: Actor, passages: Sequence[Passage]) -> bool:
        """The user's turn; False where a ban takes it away."""
        barred = floor.barred(user.name)
        if barred is not None:
            floor.log(user, "barred", reason=barred)
            return False
        asked = floor.prompt(user)
        if self.settings["grounded"]:
            asked["evidence"] = numbered(passages)
        try:
            with once(floor.seed, asked):
                reply = self.user(**asked, check=_user_fault)
        except ReplyError as error:
            floor.log(user, "failed", reason=error.line())
            return True
        text = reply.text.strip()
        if reply.action == "leave":
            floor.left.add(user.name)
            floor.log(user, "leave", text, reason="left the discussion")
        elif reply.action == "silent" or _nothing(text):
            floor.log(user, "silent", reason="stayed silent")
        else:
            floor.log(user, "comment", text)
        return True

    def _moderate(self, floor: _Floor, moderator: Actor) -> None:
        users = floor.present()

        def fault(reply: Any) -> str | None:
            return _moderator_fault(reply, users)

        asked = {**floor.prompt(moderator), "users": users}
        try:
            with once(floor.seed, asked):
                reply = self.moderate(**asked, check=fault)
        except ReplyError as error:
            floor.log(moderator, "failed", reason=error.line())
            return
        text = (reply.text or "").strip()
        target = _named(reply.target, users)
        if reply.action is None:
            floor.log(moderator, "silence", reason=ABSTAINED)
        elif reply.action == "ban" and target is not None:
            floor.ban(moderator, target, reply.ban_rounds, text)
        elif reply.action == "silence" or _nothing(text):
            floor.log(moderator, "silence", reason="kept silence")
        else:
            floor.log(moderator, reply.action, text, target=target)


@dataclass
class _Floor:
    """A discussion under way."""

    plan: DiscussionPlan
    round: int = 0
    turns: list[DiscussionTurn] = field(default_factory=list)
    bans: list[Ban] = field(default_factory=list)
    left: set[str] = field(default_factory=set)

    def __post_init__(self) -> None:
        self._chance = random.Random(f"{self.seed}/{self.plan.order}")
        users = {user.name for user in self.plan.users}
        for comment in self.plan.seeds:
            role: Literal["user"] | None = "user" if comment.author in users else None
            self.turns.append(
                DiscussionTurn(
                    id=self._next(), round=0, actor=comment.author, role=role, action="seed",
                    text=comment.text,
                )
            )  # fmt: skip

    @property
    def seed(self) -> int | None:
        """The discussion's own."""
        return self.plan.conditions.seed

    def line(self) -> Iterable[Actor]:
        """The users of a round, in order; those who left are passed over."""
        if self.plan.order == "round_robin":
            return [user for user in self.plan.users if user.name not in self.left]
        return self._drawn()

    def _drawn(self) -> Iterator[Actor]:
        """As many draws as there are users, each from those who may speak by then."""
        weights = self.plan.weights or [1.0] * len(self.plan.users)
        pairs = list(zip(self.plan.users, weights, strict=True))
        last = next((t.actor for t in reversed(self.turns) if t.role == "user"), None)
        for _ in self.plan.users:
            able = [(u, w) for u, w in pairs if u.name not in self.left and not self.barred(u.name)]
            fresh = [(u, w) for u, w in able if u.name != last] or able
            if not fresh:
                return
            (user,) = self._chance.choices([u for u, _ in fresh], [w for _, w in fresh])
            last = user.name
            yield user

    def barred(self, name: str) -> str | None:
        """Why the user may not speak now, if a ban says so."""
        for ban in self.bans:
            if ban.user == name and self.round <= (ban.until_round or math.inf):
                length = "for good" if ban.until_round is None else f"to round {ban.until_round}"
                return f"banned by {ban.by} in {ban.turn}, {length}"
        return None

    def present(self) -> list[str]:
        """The users who can be acted on: neither gone nor banned."""
        names = [user.name for user in self.plan.users]
        return [name for name in names if name not in self.left and not self.barred(name)]

    def over(self) -> bool:
        """Whether too few users remain for a discussion."""
        gone = self.left | {ban.user for ban in self.bans if ban.until_round is None}
        remaining = [user for user in self.plan.users if user.name not in gone]
        return len(remaining) < min(2, len(self.plan.users))

    def prompt(self, actor: Actor) -> dict[str, Any]:
        """The five parts of an actor's prompt, and the last comments that it sees."""
        said = [Comment(author=t.actor, text=t.text) for t in self.turns if t.text]
        return {
            "name": actor.name,
            "role": actor.role,
            "attributes": actor.attributes,
            "context": self.plan.context,
            "directions": actor.instructions,
            "history": said[-self.plan.window :],
        }

    def log(self, actor: Actor, action: Action, text: str = "", **more: Any) -> DiscussionTurn:
        """Note a turn."""
        turn = DiscussionTurn(
            id=self._next(), round=self.round, actor=actor.name, role=actor.role, action=action,
            text=text, **more,
        )  # fmt: skip
        self.turns.append(turn)
        return turn

    def ban(self, moderator: Actor, user: str, rounds: int | None, text: str) -> None:
        """Note a ban: the rest of this round, and ``rounds`` more or all there are."""
        turn = self.log(moderator, "ban", text or f"{user} is banned.", target=user)
        until = None if rounds is None else self.round + rounds
        self.bans.append(
            Ban(
                user=user, by=moderator.name, turn=turn.id, from_round=self.round,
                until_round=until, reason=turn.text,
            )
        )  # fmt: skip

    def closed(self, ended: Literal["rounds", "users_left"]) -> Discussion:
        """The finished discussion."""
        moderator = [self.plan.moderator] if self.plan.moderator is not None else []
        return Discussion(
            id=self.plan.id, context=self.plan.context, actors=[*self.plan.users, *moderator],
            turns=self.turns, bans=self.bans, ended=ended, conditions=self.plan.conditions,
        )  # fmt: skip

    def _next(self) -> str:
        return f"t{len(self.turns) + 1}"


def _nothing(text: str) -> bool:
    return not text or text.strip("'\"* .").lower() == NO_RESPONSE


def _named(name: str | None, users: Sequence[str]) -> str | None:
    """The user that is meant, whatever the case; None for nobody known."""
    wanted = (name or "").strip().lstrip("@").casefold()
    return next((user for user in users if user.casefold() == wanted), None)


def _user_fault(reply: Any) -> str | None:
    if reply.action == "comment" and not reply.text.strip():
        return "the action is to comment, and the text is empty"
    return None


def _moderator_fault(reply: Any, users: Sequence[str]) -> str | None:
    if reply.action in {"reply", "warn"} and not (reply.text or "").strip():
        return f"the action is to {reply.action}, and the text is empty"
    if reply.action in {"warn", "ban"} and _named(reply.target, users) is None:
        return f"the target {reply.target!r} is none of {', '.join(users)}"
    if reply.action == "ban" and reply.ban_rounds is not None and reply.ban_rounds < 1:
        return f"ban_rounds is {reply.ban_rounds}, at least 1 is wanted, or null"
    return None


__all__ = ["ABSTAINED", "NO_RESPONSE", "Discuss"]
