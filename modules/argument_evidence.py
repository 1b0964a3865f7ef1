"""Evidence for an argument, its wording kept (S0 section 4.2.4).

Argument -> search query -> retriever -> the ten nearest chunks -> the argument with inline
citations -> checked citations. S0 rewrites with an LM and trusts it; here a rewrite that leaves
the argument's wording is asked for again, and in the end markers are set without an LM.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from difflib import SequenceMatcher
from typing import Any, Literal

from modules.citations import CitationCheck, Embedder, bare, markers, paragraphs
from modules.evidence import EvidenceStage, Retriever, numbered, relevant
from modules.lm.ask import Ask
from modules.retrieval.aiming import Aim, search_aims
from modules.stage import Stage, Step, direct
from modules.text import sentences, tokens
from signatures.errors import ReplyError
from signatures.evidence import CiteArgument, CitedArgument, WriteSearchQuery
from signatures.judging import WrittenText
from signatures.types import CitationFigures, Draft, Passage

_LONGEST_QUERY = 40
"""Words of a query: more is no query but an answer."""

_NO_PASSAGE = "no passage was found for it"


class ArgumentQuery(Stage):
    """The search query that would find evidence for an argument (S0 step a)."""

    def __init__(self) -> None:
        super().__init__()
        self.ask = Ask(WriteSearchQuery)

    def forward(self, *, topic: str, argument: str) -> str:
        """The query, on one line.

        Raises:
            ReplyError: The model's replies stayed unusable.
            BackendError: The backend failed for good.
        """
        reply = self.ask(topic=topic, argument=WrittenText(text=argument), check=_query_problem)
        return " ".join(reply.query.split())


class QueryEvidence(EvidenceStage):
    """Passages for several queries, in one batch (S0 steps b to f).

    Args:
        retriever: Where to look: an index or the web.
        k: Passages per query.
    """

    def __init__(self, retriever: Retriever, *, k: int = 10) -> None:
        super().__init__(retriever, k=k)

    def forward(
        self, *, topic: str, arguments: list[str], queries: list[str]
    ) -> list[list[Passage]]:
        """For each query its passages, best first; its argument is the perspective on the topic."""
        parts = zip(queries, arguments, strict=True)
        aims = [Aim(query, topic, argument) for query, argument in parts]
        found = search_aims(self.retriever, aims, self.settings["k"])
        return [relevant(each) for each in found]


class ArgumentRewrite(Stage):
    """The argument with inline citations, checked (S0 step g).

    Args:
        check: Checks the citations, and sets markers where the rewrite cannot be used.
        keep: The share of the argument's words that a rewrite must keep, in their order.
        add: How many words a rewrite may add, or as many as the argument has if that is more.
    """

    def __init__(self, check: CitationCheck, *, keep: float = 0.9, add: int = 60) -> None:
        super().__init__(keep=keep, add=add, check=check.identity())
        self.check = check
        self.ask = Ask(CiteArgument)

    def forward(
        self, *, topic: str, argument: str, query: str, passages: list[Passage]
    ) -> CitedArgument:
        """The argument with markers over the passages it cites, numbered from 1.

        Raises:
            ReplyError: The check's own LM (judge or repair) gave no usable reply.
            BackendError: The backend failed for good.
        """
        if not passages:
            claims = [s for block in paragraphs(argument) for s in sentences(block) if tokens(s)]
            return CitedArgument(
                text=argument,
                query=query,
                citations=[],
                passages=[],
                figures=CitationFigures(recall=0.0 if claims else None),
                uncited=claims,
                notes=[_NO_PASSAGE],
            )
        text, notes = self._rewritten(topic, argument, passages)
        essay = self.check(subject=topic, draft=Draft(text=text, passages=passages))
        held = {p.id: p for p in passages}
        order = {c.marker: held[c.chunk_id] for c in essay.citations}
        return CitedArgument(
            text=essay.text,
            query=query,
            citations=essay.citations,
            passages=[order[n] for n in sorted(order)],
            figures=essay.figures,
            uncited=essay.uncited,
            notes=[*notes, *essay.notes],
        )

    def _rewritten(
        self, topic: str, argument: str, passages: Sequence[Passage]
    ) -> tuple[str, list[str]]:
        try:
            reply = self.ask(
                topic=topic,
                argument=WrittenText(text=argument),
                evidence=numbered(passages),
                check=lambda r: self._problem(argument, r.text, len(passages)),
            )
        except ReplyError as error:  # the argument itself is sound, only its rewrite is not
            note = f"no rewrite kept its wording, markers were set without one ({error.got})"
            return self._marked(argument, passages), [note]
        return reply.text.strip(), []

    def _problem(self, argument: str, text: str, n_passages: int) -> str | None:
        if any(not 1 <= n <= n_passages for n in markers(text)):
            return f"it cites passages that were not given, {n_passages} were"
        kept, added = kept_wording(argument, text)
        most = max(self.settings["add"], len(tokens(argument)))
        if kept < self.settings["keep"]:
            return (
                f"it keeps {kept:.0%} of the argument's words, wanted {self.settings['keep']:.0%}"
            )
        if added > most:
            return f"it adds {added} words, at most {most}"
        return None

    def _marked(self, argument: str, passages: Sequence[Passage]) -> str:
        """Each sentence with the marker of the first passage that bears it out."""
        return "\n\n".join(
            " ".join(self._with_marker(s, passages) for s in sentences(block))
            for block in paragraphs(argument)
        )

    def _with_marker(self, sentence: str, passages: Sequence[Passage]) -> str:
        plain = bare(sentence)
        found = self.check.support([(plain, passage.text) for passage in passages])
        ranks = [("supported", "weak", "unsupported").index(support.verdict) for support in found]
        if min(ranks) == 2:
            return plain
        stop = len(plain.rstrip(".!?"))
        return f"{plain[:stop]} [{ranks.index(min(ranks)) + 1}]{plain[stop:]}"


class ArgumentEvidence(EvidenceStage):
    """The whole pipeline for one argument.

    Example:
        >>> evidence = ArgumentEvidence(retriever, embedder, supported=0.87, weak=0.46)
        >>> with dspy.context(lm=dspy.LM("openai/gpt-4o-mini")):
        ...     cited = evidence(topic="Free museums", argument="Fees keep families away.")
        >>> print(cited.text, cited.citations[0].quote)

    It keeps nothing between calls: several threads may call it at a time.

    Args:
        retriever: Where to look: an index or the web.
        embedder: For the citation check.
        supported: See :class:`modules.citations.CitationCheck`, as the three that follow.
        weak: The probability from which a citation is ``weak``.
        by: Who decides on citations.
        repair: Whether unsupported sentences are rewritten once.
        k: Passages per argument.
    """

    def __init__(
        self,
        retriever: Retriever,
        embedder: Embedder,
        *,
        supported: float,
        weak: float,
        by: Literal["built_in", "judge"] = "built_in",
        repair: bool = False,
        k: int = 10,
    ) -> None:
        super().__init__(retriever, k=k)
        check = CitationCheck(embedder, supported=supported, weak=weak, by=by, repair=repair)
        self.query = ArgumentQuery()
        self.find = QueryEvidence(retriever, k=k)
        self.rewrite = ArgumentRewrite(check)

    def identity(self) -> dict[str, Any]:
        return {**super().identity(), "rewrite": self.rewrite.identity()}

    def forward(self, *, topic: str, argument: str) -> CitedArgument:
        """The argument with its evidence.

        Raises:
            ReplyError: The model's replies stayed unusable.
            BackendError: The backend failed for good.
        """
        query = self.query(topic=topic, argument=argument)
        passages = self.find(topic=topic, arguments=[argument], queries=[query])[0]
        return self.rewrite(topic=topic, argument=argument, query=query, passages=passages)  # type: ignore[no-any-return]  # DSPy's __call__ is untyped

    def each(
        self, topic: str, arguments: Mapping[str, str], step: Step = direct
    ) -> dict[str, CitedArgument]:
        """Evidence for the argument of each persona: LM calls side by side, one search for all.

        Args:
            topic: What is being debated.
            arguments: Persona id -> its claim or turn.
            step: Runs the stages; a flow's own persists each of them.
        """
        asked = {
            key: step.start(f"query-{key}", self.query, topic=topic, argument=text)
            for key, text in arguments.items()
        }
        queries = {key: pending.result() for key, pending in asked.items()}
        found = step(
            "sources", self.find, topic=topic, arguments=list(arguments.values()),
            queries=list(queries.values()),
        )  # fmt: skip
        started = {
            key: step.start(
                f"cite-{key}",
                self.rewrite,
                topic=topic,
                argument=arguments[key],
                query=query,
                passages=passages,
            )
            for (key, query), passages in zip(queries.items(), found, strict=True)
        }
        return {key: pending.result() for key, pending in started.items()}


def kept_wording(argument: str, text: str) -> tuple[float, int]:
    """The share of the argument's words that the text has in their order, and how many it adds."""
    one, other = tokens(argument), tokens(bare(text))
    matcher = SequenceMatcher(None, one, other, autojunk=False)
    kept = sum(block.size for block in matcher.get_matching_blocks())
    return kept / max(1, len(one)), len(other) - kept


def _query_problem(reply: Any) -> str | None:
    count = len(reply.query.split())
    return None if 1 <= count <= _LONGEST_QUERY else f"a query of {count} words"


__all__ = [
    "ArgumentEvidence",
    "ArgumentQuery",
    "ArgumentRewrite",
    "QueryEvidence",
    "kept_wording",
]
