"""The citation check as a stage: a draft becomes an essay whose citations have verdicts."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Literal

from modules.citations.figures import balance, share
from modules.citations.judge import SupportJudge
from modules.citations.markers import bare, markers, paragraphs, render
from modules.citations.repair import SentenceRepair
from modules.citations.support import Support, SupportCheck, fitted
from modules.stage import Stage
from modules.text import sentences, tokens
from modules.vectors import Embedder
from signatures.errors import ReplyError
from signatures.types import Citation, CitationFigures, Draft, Essay, Passage


class CitationCheck(Stage):
    """Renders the markers of a draft and checks every citation against its passage.

    The built-in check has no judge: what the passage says word for word is supported. Else it
    compares the sentence with the nearest one to three
    sentences of the passage by meaning (cosine of embeddings) and by what a paraphrase may not
    change (numbers, names, denials, how much and how surely), and weighs the figures by calibrated
    regression trees. The judge, where one is asked, is an LM; citations on which it
    abstains are left to the built-in check.

    Args:
        embedder: Embeds sentences.
        supported: The probability of support from which the built-in verdict is ``supported``.
        weak: The probability from which it is ``weak``.
        by: Who decides.
        repair: Whether an LM rewrites, once, the sentences that no passage they cite bears out.
    """

    version = 4

    def __init__(
        self,
        embedder: Embedder,
        *,
        supported: float,
        weak: float,
        by: Literal["built_in", "judge"] = "built_in",
        repair: bool = False,
    ) -> None:
        super().__init__(
            supported=supported,
            weak=weak,
            by=by,
            repair=repair,
            embedder=embedder.name,
            model=fitted().digest,
        )
        self.built_in = SupportCheck(embedder, supported=supported, weak=weak)
        self.judge = SupportJudge() if by == "judge" else None
        self.repair = SentenceRepair() if repair else None

    def prepare(self, passages: Iterable[Passage]) -> None:
        """Embed passages that may be cited while an LM still writes; changes no verdict.

        It may run in a thread of its own. It is worth its time only where it would else pass
        waiting.
        """
        self.built_in.prepare(passage.text for passage in passages)

    def support(self, pairs: Sequence[tuple[str, str]]) -> list[Support]:
        """For each (sentence, passage text) the built-in verdict and the best supporting span."""
        return self.built_in(pairs)

    def forward(self, *, subject: str, draft: Draft) -> Essay:
        """The essay with a closed set of markers, its citations, and figures over them.

        Raises:
            ReplyError: Nothing is left of the draft once its dangling markers are dropped, or the
                judge's or repairer's replies stayed unusable.
            BackendError: The judge's or repairer's backend failed for good.
        """
        essay = self._essay(subject, draft)
        if self.repair is None:
            return essay
        mended, notes = self.repair(essay=essay, draft=draft, support=self.support)
        again = self._essay(subject, Draft(text=mended, passages=draft.passages))
        return again.model_copy(update={"notes": [*essay.notes, *notes]})

    def _essay(self, subject: str, draft: Draft) -> Essay:
        text, order = render(draft.text, len(draft.passages))
        if not text:
            raise ReplyError(
                "the essay cannot be used",
                expected="sentences",
                got="nothing but blanks and markers of passages that were not given",
                remedy="try another seed or model",
            )
        cited = [draft.passages[n - 1] for n in order]
        citations, notes = self._citations(text, cited)
        claims = [s for p in paragraphs(text) for s in sentences(p) if tokens(bare(s))]
        held = {c.sentence for c in citations if c.verdict == "supported"}
        uncited = [s for s in map(bare, claims) if s not in held]
        return Essay(
            text=text,
            citations=citations,
            uncited=uncited,
            figures=CitationFigures(
                precision=share(sum(c.verdict == "supported" for c in citations), len(citations)),
                recall=share(len(claims) - len(uncited), len(claims)),
                evidence_balance=balance(subject, cited),
            ),
            notes=notes,
        )

    def _citations(self, text: str, cited: Sequence[Passage]) -> tuple[list[Citation], list[str]]:
        pairs = [
            (number, bare(sentence))
            for paragraph in paragraphs(text)
            for sentence in sentences(paragraph)
            for number in markers(sentence)
        ]
        asked = [(sentence, cited[n - 1].text) for n, sentence in pairs]
        found, notes = self._decided(asked)
        return [
            Citation(
                marker=number,
                chunk_id=cited[number - 1].id,
                source=cited[number - 1].source,
                title=cited[number - 1].title,
                sentence=sentence,
                quote=support.quote,
                verdict=support.verdict,
            )
            for (number, sentence), support in zip(pairs, found, strict=True)
        ], notes

    def _decided(self, pairs: Sequence[tuple[str, str]]) -> tuple[list[Support], list[str]]:
        """The judge's verdicts where it gave one, else the built-in check's."""
        found = self.built_in(pairs)
        if self.judge is None or not pairs:
            return found, []
        judged = self.judge(pairs=pairs)
        chosen = [
            own if said is None else Support(said.verdict, said.quote or own.quote)
            for said, own in zip(judged, found, strict=True)
        ]
        silent = sum(said is None for said in judged)
        if not silent:
            return chosen, []
        note = f"the judge left {silent} of {len(pairs)} citations to the built-in check"
        return chosen, [note]


__all__ = ["CitationCheck"]
