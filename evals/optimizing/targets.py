"""What can be tuned: a program, and how it turns a question into a row that metrics read."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Sequence
from typing import Any, ClassVar

from pydantic_core import to_jsonable_python

from evals.dispute import acknowledges
from modules.answering import AnswerMethod, AnswerSettings
from modules.citations import Embedder
from modules.citations.judge import SupportJudge
from modules.essay import EssayMethod, EssaySettings
from modules.evidence import Background, Retriever
from signatures.errors import EvidenceError
from signatures.types import EssayStance


class Target(ABC):
    """A program under tuning.

    Attributes:
        name: As in ``target=name``.
        method: Which of the target's methods: a compiled program fits that one alone.
        wants: What items must have besides an id and a text.
        field: The field of a row that holds its text.
    """

    name: ClassVar[str]
    field: ClassVar[str] = "generation"
    wants: ClassVar[tuple[str, ...]] = ()
    method: str

    @abstractmethod
    def program(self) -> Any:
        """The program as it was written, fresh; its predictors are what is tuned."""

    @abstractmethod
    def row(self, program: Any, item: Any) -> dict[str, Any]:
        """What the program makes of an item, as JSON that metrics read.

        Raises:
            MootError: It made nothing of it.
        """

    def covers(self, item: Any) -> bool:
        """Whether there is evidence on an item; without it no prompt makes a text."""
        return True

    def check(self, items: Sequence[Any]) -> None:  # noqa: B027 - most take what they are given
        """Refuse items that it can make nothing of.

        Raises:
            InputError: There are some; they are named.
        """

    def prepare(self, items: Sequence[Any], threads: int) -> None:  # noqa: B027 - most need nothing
        """Ask once, before the search, for what is the same for all candidates."""

    def identity(self) -> Any:
        """Everything besides the program and the item that a row depends on, as JSON."""
        return None


class EssayTarget(Target):
    """An essay method.

    Args:
        method: The method.
        settings: What it is told.
        retriever: Where evidence is searched.
        embedder: For citations.
        bind: Gives a program's predictors their models.
        stance: What essays do with the proposition.
        writer: The identity of the writer's model.
    """

    name: ClassVar[str] = "essay"
    field: ClassVar[str] = "essay"

    def __init__(
        self,
        method: EssayMethod,
        settings: EssaySettings,
        retriever: Retriever,
        embedder: Embedder,
        bind: Callable[[Any], Any],
        *,
        stance: EssayStance,
        writer: str,
    ) -> None:
        self.method = method.name
        self._method = method
        self._settings = settings
        self._retriever = retriever
        self._embedder = embedder
        self._stance = stance
        self._bind = bind
        self._writer = writer

    def program(self) -> Any:
        made = self._method.program(self._settings, self._retriever, self._embedder)
        return closed(made, self._bind)

    def covers(self, item: Any) -> bool:
        return has_evidence(self.program().recall, item.text)

    def row(self, program: Any, item: Any) -> dict[str, Any]:
        parts = self._method.write(program, item.text, self._stance)
        essay = parts.essay
        return dict(
            to_jsonable_python(
                {
                    "id": item.id,
                    "proposition": item.text,
                    "stance": self._stance,
                    "method": self.method,
                    "writer": self._writer,
                    "essay": essay.text,
                    "citations": essay.citations,
                    "citation_figures": essay.figures,
                    "uncited": essay.uncited,
                    "debate": parts.debate.turns,
                }
            )
        )

    def identity(self) -> Any:
        settings = self._settings.model_dump(mode="json")
        return [self._method.model_dump(mode="json"), settings, self._stance]


class AnswerTarget(Target):
    """An answer method.

    Args:
        method: The method.
        settings: What it is told.
        retriever: Where evidence is searched.
        embedder: For citations.
        bind: Gives a program's predictors their models.
        writer: The identity of the writer's model.
    """

    name: ClassVar[str] = "answer"

    def __init__(
        self,
        method: AnswerMethod,
        settings: AnswerSettings,
        retriever: Retriever,
        embedder: Embedder,
        bind: Callable[[Any], Any],
        *,
        writer: str,
    ) -> None:
        self.method = method.name
        self._method = method
        self._settings = settings
        self._retriever = retriever
        self._embedder = embedder
        self._bind = bind
        self._writer = writer

    def program(self) -> Any:
        made = self._method.program(self._settings, self._retriever, self._embedder)
        return closed(made, self._bind)

    def covers(self, item: Any) -> bool:
        return has_evidence(self.program().recall, item.text)

    def row(self, program: Any, item: Any) -> dict[str, Any]:
        parts = self._method.write(program, item.text)
        answer = parts.answer
        known = to_jsonable_python(getattr(item, "partial_answers", None) or [])
        return dict(
            to_jsonable_python(
                {
                    "id": item.id,
                    "question": item.text,
                    "method": self.method,
                    "writer": self._writer,
                    "generation": answer.text,
                    "passages": parts.passages,
                    "perspectives": parts.perspectives,
                    "citations": answer.citations,
                    "citation_figures": answer.figures,
                    "uncited": answer.uncited,
                }
            )
        ) | {
            **({"partial_answers": known} if known else {}),
            **_dispute(item, answer.text),
        }

    def identity(self) -> Any:
        settings = self._settings.model_dump(mode="json")
        return [self._method.model_dump(mode="json"), settings]


def _dispute(item: Any, answer: str) -> dict[str, bool]:
    """Whether the answer tells of the dispute, where the dataset says that there is one."""
    if not getattr(item, "debatable", False):
        return {}
    return {"dispute_acknowledged": acknowledges(answer, item.text)}


def closed(program: Any, bind: Callable[[Any], Any]) -> Any:
    """The program with its citation judge, where it has one, bound and closed to tuning: what
    judges texts must not learn together with what writes them.
    """
    for judge in judges_of(program):
        bind(judge)._compiled = True  # DSPy's word for what optimizers leave alone
    return program


def judges_of(program: Any) -> list[Any]:
    """The judges inside a program that writes."""
    return [part for _, part in program.named_sub_modules() if isinstance(part, SupportJudge)]


def has_evidence(recall: Background, subject: str) -> bool:
    """Whether a program's own search finds anything on a subject."""
    try:
        recall(subject=subject)
    except EvidenceError:
        return False
    return True


def by_id(items: Sequence[Any]) -> dict[str, Any]:
    """Items by their ids."""
    return {item.id: item for item in items}


__all__ = ["AnswerTarget", "EssayTarget", "Target", "by_id", "closed", "has_evidence", "judges_of"]
