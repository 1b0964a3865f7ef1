"""A small debate on one proposition: passages on both sides, and the calls of one run over them."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

from modules.lm.extractive import answer

PROPOSITION = "We should make all museums free of charge"

PASSAGES = [
    (
        "Open doors",
        "Free museums give low-income families a safe and pleasant place to learn together. "
        "Entrance fees keep poor families away and waste a public treasure. "
        "Free admission lets parents bring small children without fear of a wasted ticket. "
        "This makes every visit easier.",
    ),
    (
        "A classroom without walls",
        "Teachers use free museums to make history lessons richer and fairer for every pupil. "
        "School groups lose valuable visits when museums charge and budgets are cut. "
        "Free entry helps pupils return with their parents and share what they have learned.",
    ),
    (
        "The high street",
        "Shopkeepers benefit because free museums attract visitors who spend money nearby. "
        "Hotel managers welcome free attractions, which persuade tourists to stay another night. "
        "Local residents take pride in free museums and gain a good reason to visit the town.",
    ),
    (
        "A common inheritance",
        "Citizens already own the public collections, so charging them at the door is unfair. "
        "Free admission honours donors who gave great works so that everyone could enjoy them. "
        "Retired people gain companionship and better health from free museums near home.",
    ),
    (
        "Where the money goes",
        "Museum directors warn that free admission destroys the income that pays for guards. "
        "Free museums depend on grants, and such dependence threatens the care of collections. "
        "Entrance fees give museum directors a reliable income and protect their independence. "
        "Closed galleries are the sad result when free admission leaves a museum without money.",
    ),
    (
        "The bill",
        "Taxpayers bear an unfair burden when free museums serve wealthy tourists. "
        "Free admission wastes public money on visitors who could easily afford a ticket. "
        "Rural workers pay higher taxes for free museums that they can hardly ever visit.",
    ),
    (
        "Crowds",
        "Conservators fear that free admission brings crowds which damage fragile paintings. "
        "Museum guards suffer stress because free entry overwhelms the most popular rooms. "
        "A modest fee protects collections and improves the visit for careful visitors.",
    ),
    (
        "Small museums",
        "Small private museums would be ruined if free admission became compulsory for all. "
        "Volunteers lose heart when a rigid rule threatens the survival of their museum. "
        "Fair entrance fees with generous concessions help poor visitors at far lower cost.",
    ),
]


def numbered(passages: list[tuple[str, str]]) -> list[dict[str, Any]]:
    """Passages as a call sees them."""
    return [
        {"number": number, "title": title, "text": text}
        for number, (title, text) in enumerate(passages, start=1)
    ]


class Run:
    """The calls of one essay by each method, each with its inputs and its answer."""

    def __init__(self, goal: str, seed: int) -> None:
        self.goal, self.seed = goal, seed
        self.inputs: dict[str, list[dict[str, Any]]] = {}
        self.outputs: dict[str, list[dict[str, Any]]] = {}
        self.pool = self._personas()
        side = "against" if goal == "refute" else "for"
        own = [p for p in self.pool if p["stance"] == side]
        choices = self.ask("SelectTeam", team_size=min(3, len(own)), candidates=_plain(own))
        chosen = [c["id"] for c in choices["choices"]]
        self.team = [p for p in self.pool if p["id"] in chosen]
        self.transcript = self._debate([p for p in self.pool if p["stance"] != side])
        self.plan = self.ask(
            "MakePlan",
            team=_plain(self.team),
            transcript=self.transcript,
            minimum_points=3,
            maximum_points=5,
        )["plan"]
        parts = [{"part": p["point"], "passages": numbered(PASSAGES)} for p in self.plan["points"]]
        self.essay = str(
            self.ask("WriteEssay", plan=self.plan, evidence=parts, word_target=450)["essay"]
        )
        self.essays = {"WriteEssay": self.essay, **self._others()}

    def ask(self, signature: str, **inputs: Any) -> dict[str, Any]:
        """One call, kept."""
        inputs = {"proposition": PROPOSITION, "goal": self.goal, **inputs}
        self.inputs.setdefault(signature, []).append(inputs)
        self.outputs.setdefault(signature, []).append(answer(signature, inputs, self.seed))
        return self.outputs[signature][-1]

    def _personas(self) -> list[dict[str, Any]]:
        drafts = self.ask(
            "CreatePersonas",
            minimum=5,
            maximum=8,
            sides="both",
            values="any",
            existing=[],
            background=numbered(PASSAGES),
        )["personas"]
        return [{**draft, "id": f"p{i}"} for i, draft in enumerate(drafts, start=1)]

    def _debate(self, opposing: list[dict[str, Any]]) -> list[dict[str, str]]:
        lines: list[dict[str, str]] = []
        for _ in range(2):
            for persona in self.team:
                turn = self.ask(
                    "TeamTurn",
                    persona=_plain([persona])[0],
                    transcript=lines,
                    evidence=numbered(PASSAGES),
                    word_limit=80,
                )
                lines = [*lines, _line(lines, persona["title"], turn)]
            turn = self.ask(
                "CriticTurn",
                team_goal=self.goal,
                opposing_voices=_plain(opposing),
                transcript=lines,
                evidence=numbered(PASSAGES),
                word_limit=80,
            )
            lines = [*lines, _line(lines, "Critic", turn)]
        return lines

    def _others(self) -> dict[str, str]:
        """The essays of the methods that S1 compares itself with."""
        given = {"evidence": numbered(PASSAGES)}
        bounds = {"minimum_points": 3, "maximum_points": 5}
        self.ask("OutlineEssay", **given, **bounds)
        self.ask("OutlineFromPersonas", team=_plain(self.team), **given, **bounds)
        lines: list[dict[str, str]] = []
        for _ in range(2):
            planned = self.ask("PlannerTurn", transcript=lines, **given, word_limit=80)
            lines = [*lines, _line(lines, "Planner", planned)]
            turn = self.ask(
                "CriticTurn", team_goal=self.goal, opposing_voices=[], transcript=lines,
                **given, word_limit=80,
            )  # fmt: skip
            lines = [*lines, _line(lines, "Critic", turn)]
        claim = self.ask("StateClaim", **given, review=None)["claim"]
        reasons = self.ask("GiveReasons", claim=claim, **given, **bounds, review=None)["reasons"]
        draft = "\n".join(f"{r['reason']} {r['explanation']}" for r in reasons)
        found = self.ask(
            "ReviewComponent", component="reasons", claim=claim, draft={"text": draft}, **given
        )
        review = {"draft": draft, "feedback": found["feedback"]}
        reasons = self.ask("GiveReasons", claim=claim, **given, **bounds, review=review)["reasons"]
        concession = self.ask("MakeConcession", claim=claim, reasons=reasons, **given, review=None)[
            "concession"
        ]
        parts = [{"part": r["reason"], "passages": numbered(PASSAGES)} for r in reasons]
        argument = self.ask(
            "WriteArgument", claim=claim, reasons=reasons, concession=concession, evidence=parts,
            word_target=450, review=None,
        )  # fmt: skip
        outright = self.ask("WriteOutright", **given, word_target=450)
        return {"WriteArgument": argument["essay"], "WriteOutright": outright["essay"]}


def _line(lines: list[dict[str, str]], speaker: str, turn: dict[str, Any]) -> dict[str, str]:
    return {"id": f"t{len(lines) + 1}", "speaker": speaker, "text": turn["text"]}


def _plain(personas: list[dict[str, Any]]) -> list[dict[str, Any]]:
    return [{k: p[k] for k in ("id", "title", "description", "claim", "values")} for p in personas]


@pytest.fixture(scope="session")
def run() -> Callable[[str, int], Run]:
    """A run for a goal and a seed, made once."""
    made: dict[tuple[str, int], Run] = {}

    def get(goal: str, seed: int = 0) -> Run:
        if (goal, seed) not in made:
            made[goal, seed] = Run(goal, seed)
        return made[goal, seed]

    return get


@pytest.fixture(params=["refute", "support"])
def each(request: pytest.FixtureRequest, run: Callable[[str, int], Run]) -> Run:
    """A run for each goal."""
    return run(request.param, 0)


@pytest.fixture
def background() -> list[dict[str, Any]]:
    """The passages, numbered."""
    return numbered(PASSAGES)
