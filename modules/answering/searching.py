"""Evidence for a question: one search, or an agent's searches (S4 section 7.3, appendix D.1)."""

from __future__ import annotations

import json
from copy import copy
from typing import Any

import dspy

from modules.evidence import EvidenceStage, Retriever, numbered, relevant
from modules.lm.ask import Ask
from modules.perspectives import PerspectiveExtraction
from modules.retrieval.aiming import search_aims, steers
from signatures.answering import ChooseFound, NextSearch
from signatures.errors import MootError
from signatures.types import Passage


class AgentSearch(EvidenceStage):
    """ReAct over the retriever: thought, search, observation, until it says that it has enough.

    The loop is DSPy's; its two prompts are ours, and its replies are repaired like all others.
    What the tool finds is numbered once for all searches, so that the choice at the end can name
    it. A search that finds nothing says so; one that fails, fails the stage. Where the retriever
    heeds perspectives, that of each query is looked for among its words.

    Args:
        retriever: Where it searches.
        k: Passages that one search shows it.
        steps: The most steps.
        found: The most passages it may choose (S4: 9).
    """

    def __init__(self, retriever: Retriever, *, k: int, steps: int, found: int) -> None:
        super().__init__(retriever, k=k, steps=steps, found=found)
        self.agent = _Agent(steps)
        self.apart = PerspectiveExtraction() if steers(retriever) else None

    def forward(self, *, question: str) -> list[Passage]:
        """The chosen passages, best first; those it found first where it chose none.

        Raises:
            ReplyError: The model's replies stayed unusable.
            MootError: What a search raised.
        """
        search = _Search(self.retriever, self.settings["k"], self.apart)
        reply = self.agent.run(search, question)
        if search.failed is not None:
            raise search.failed
        numbers = dict.fromkeys(n for n in reply.useful if 1 <= n <= len(search.passages))
        chosen = [search.passages[n - 1] for n in numbers] or search.passages
        return chosen[: self.settings["found"]]


class _Search:
    """The agent's tool; remembers every passage it has shown, and the first failure."""

    def __init__(
        self, retriever: Retriever, k: int, apart: PerspectiveExtraction | None = None
    ) -> None:
        self._retriever = retriever
        self._k = k
        self._apart = apart
        self.passages: list[Passage] = []
        self.failed: MootError | None = None

    def __call__(self, query: str) -> str:
        """Numbered passages that match the query, as JSON."""
        known = {p.id for p in self.passages}
        try:
            found = relevant(self._found(query))
        except MootError as error:  # the loop would hand it to the model as an observation
            self.failed = self.failed or error
            raise
        fresh = [p for p in found if p.id not in known]
        shown = numbered([*self.passages, *fresh])[len(self.passages) :]
        self.passages += fresh
        return json.dumps([e.model_dump() for e in shown], ensure_ascii=False)

    def _found(self, query: str) -> list[Passage]:
        aim = None if self._apart is None else self._apart(query=query)
        if aim is None or not aim.perspective:
            return self._retriever.search([query], self._k)[0]
        return search_aims(self._retriever, [aim], self._k)[0]


class _Agent(dspy.ReAct):
    """DSPy's loop with our prompts, and a trajectory that is JSON whatever the adapter."""

    def __init__(self, steps: int) -> None:
        tool = dspy.Tool(_no_search, name="search")
        super().__init__(ChooseFound.delete("trajectory"), [tool], max_iters=steps)
        self.react = Ask(NextSearch)
        self.extract = Ask(ChooseFound)

    def run(self, search: _Search, question: str) -> Any:
        """One run with a tool of its own: stages may run at the same time."""
        own = copy(self)
        own.tools = {**self.tools, "search": dspy.Tool(search.__call__, name="search")}
        return own(question=question)

    def _format_trajectory(self, trajectory: dict[str, Any]) -> str:
        return json.dumps(trajectory, ensure_ascii=False, default=str)


def _no_search(query: str) -> str:
    """What an agent that is not running has for a tool."""
    raise RuntimeError("the agent was called directly; call run")


__all__ = ["AgentSearch"]
