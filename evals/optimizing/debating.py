"""The roundtable's two tunable parts: what personas say, and the evidence that is put to it.

They are tuned apart, for they are asked for different things, and used together: a debate takes a
program for each.
"""

from __future__ import annotations

import copy
from collections.abc import Callable, Sequence
from typing import Any, ClassVar

from pydantic_core import to_jsonable_python

from evals.optimizing.targets import Target, closed, has_evidence
from evals.scoring import STOPS
from modules.citations import Embedder
from modules.evidence import Background, Retriever
from modules.parallel import at_once
from modules.roundtable import Roundtable, RoundtableSettings
from modules.roundtable.figures import citation_figures
from modules.roundtable.program import arguing
from modules.roundtable.speaking import Speaking
from modules.roundtable.turns import Turns
from modules.stage import program_identity
from signatures.errors import MootError
from signatures.types import Persona

TABLE, ARGUMENT = "roundtable", "argument"
"""The methods' names: compiled programs are ``debate/roundtable`` and ``evidence/argument``."""


class DebateTarget(Target):
    """The turns of a roundtable.

    Who sits at the table is asked once for each question and is the same for all candidates, and
    so are the prompts with which evidence is put to turns: what differs is what personas say.

    Args:
        settings: The roundtable's settings.
        retriever: Where evidence is searched.
        embedder: For citations and for shortening.
        bind: Gives a program's predictors their models.
        backed: Whether evidence is put to turns; without it nothing is cited.
        writer: The identity of the writer's model.
    """

    name: ClassVar[str] = "debate"

    def __init__(
        self,
        settings: RoundtableSettings,
        retriever: Retriever,
        embedder: Embedder,
        bind: Callable[[Any], Any],
        *,
        backed: bool,
        writer: str,
    ) -> None:
        self.method = TABLE
        self._settings = settings
        self._table = Roundtable(settings, retriever, embedder)
        if not backed:
            self._table.turns.back.cite = None
        bind(self._table)
        self._writer = writer
        self._seated: dict[str, list[Persona] | MootError] = {}

    def program(self) -> Any:
        return Speaking(**self._table.turns.speak.settings)

    def covers(self, item: Any) -> bool:
        return has_evidence(self._table.recall, item.text)

    def prepare(self, items: Sequence[Any], threads: int) -> None:
        """Have the personas of each question created; where that fails, its debates fail so."""
        seated = at_once(self._personas, items, threads=threads)
        self._seated |= dict(zip((item.id for item in items), seated, strict=True))

    def row(self, program: Any, item: Any) -> dict[str, Any]:
        seated = self._seated[item.id]
        if isinstance(seated, MootError):
            raise seated
        table = copy.copy(self._table)
        table.turns = Turns(program, self._table.turns.back)
        parts = table(topic=item.text, personas=seated)
        turns = [turn for spoken in parts.rounds for turn in spoken]
        said = [turn.spoken for turn in turns]
        partial = getattr(item, "partial_answers", None) or []
        row = {
            "id": item.id,
            "question": item.text,
            "method": self.method,
            "writer": self._writer,
            "debate": [{"id": t.id, "speaker": t.speaker, "text": t.spoken} for t in turns],
            "outputs": said,
            "generation": "\n\n".join(said),
            "citations": [c for t in turns for c in t.citations],
            "citation_figures": citation_figures(item.text, turns),
            **({"partial_answers": partial} if partial else {}),
        }
        return dict(to_jsonable_python(row))

    def identity(self) -> Any:
        return [self._settings.model_dump(mode="json"), program_identity(self._table)]

    def _personas(self, item: Any) -> list[Persona] | MootError:
        table = self._table
        try:
            background = table.recall(subject=item.text)
            pool = table.pool(subject=item.text, goal="support", background=background)
        except STOPS:
            raise
        except MootError as error:
            return error
        return list(pool.personas)


class EvidenceTarget(Target):
    """The search for evidence on an argument, and its citing form.

    Args:
        settings: The settings of the roundtable whose turns it backs.
        retriever: Where evidence is searched.
        embedder: For citations.
        bind: Gives a program's predictors their models.
        writer: The identity of the writer's model.
    """

    name: ClassVar[str] = "evidence"
    wants: ClassVar[tuple[str, ...]] = ("subject",)

    def __init__(
        self,
        settings: RoundtableSettings,
        retriever: Retriever,
        embedder: Embedder,
        bind: Callable[[Any], Any],
        *,
        writer: str,
    ) -> None:
        self._bind = bind
        self.method = ARGUMENT
        self._settings = settings
        self._retriever = retriever
        self._embedder = embedder
        self._writer = writer
        recall = settings.recall
        self._recall = Background.within(recall, retriever, k=recall.background)

    def program(self) -> Any:
        return closed(arguing(self._settings, self._retriever, self._embedder), self._bind)

    def covers(self, item: Any) -> bool:
        return has_evidence(self._recall, item.subject)

    def row(self, program: Any, item: Any) -> dict[str, Any]:
        about = {"topic": item.subject, "argument": item.text}
        query = program.query(**about)
        (passages,) = program.find(topic=item.subject, arguments=[item.text], queries=[query])
        cited = program.rewrite(**about, query=query, passages=passages)
        row = {
            "id": item.id,
            "question": item.subject,
            "method": self.method,
            "writer": self._writer,
            "argument": item.text,
            "generation": cited.text,
            "query": query,
            "passages": passages,
            "citations": cited.citations,
            "citation_figures": cited.figures,
            "uncited": cited.uncited,
            "notes": cited.notes,
        }
        return dict(to_jsonable_python(row))

    def identity(self) -> Any:
        return self._settings.model_dump(mode="json")


__all__ = ["ARGUMENT", "TABLE", "DebateTarget", "EvidenceTarget"]
