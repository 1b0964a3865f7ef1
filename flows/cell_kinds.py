"""What a cell writes: essays about propositions, or answers to questions.

The two kinds differ in what a method is told, what its text's row holds for metrics, and which
items it can be about; all else of an evaluation is the same for both.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any, NamedTuple

from pydantic_core import to_jsonable_python

from evals.contract import Metric
from evals.datasets import Dataset, Item
from flows.evaluation_config import EvaluationConfig, Kind
from modules.essay import EssayParts
from modules.evidence import Retriever
from signatures.errors import ConfigError

COMMON = frozenset({"id", "input", "topic", "outputs", "method", "writer", "citations",
                    "citation_figures", "uncited", "notes", "personas"})  # fmt: skip
"""The fields that rows of both kinds have."""

CARRIED = ("partial_answers", "clusters", "reference", "debatable")
"""The fields that a row has where the dataset's items have them."""


class Essays(NamedTuple):
    """Essays that refute or support a proposition."""

    settings: EvaluationConfig
    kind: Kind = "essay"
    field: str = "essay"
    about: str = "proposition"
    provides: frozenset[str] = COMMON | {
        "proposition", "essay", "generation", "stance", "goal", "debate", "debate_ended", "plan",
    }  # fmt: skip

    def program(self, method: Any, retriever: Retriever, embedder: Any) -> Any:
        """The method's program, its LMs not yet bound."""
        return method.program(self.settings.settings, retriever, embedder)

    def write(self, method: Any, program: Any, item: Item) -> dict[str, Any]:
        """The finished text and what came of it on the way, as JSON."""
        return essay_document(method.write(program, item.text, self.settings.stance))

    def asked(self, item: Item) -> dict[str, Any]:
        """What a text depends on besides its method and program."""
        return {
            "settings": self.settings.settings, "subject": item.text, "stance": self.settings.stance
        }  # fmt: skip


class Answers(NamedTuple):
    """Answers to a question."""

    settings: EvaluationConfig
    kind: Kind = "answer"
    field: str = "generation"
    about: str = "question"
    provides: frozenset[str] = COMMON | {
        "question", "generation", "answer", "passages", "perspectives", "disputed",
    }  # fmt: skip

    def program(self, method: Any, retriever: Retriever, embedder: Any) -> Any:
        return method.program(self.settings.answering, retriever, embedder)

    def write(self, method: Any, program: Any, item: Item) -> dict[str, Any]:
        parts = method.write(program, item.text)
        found = {
            "generation": parts.answer.text,
            "citations": parts.answer.citations,
            "citation_figures": parts.answer.figures,
            "uncited": parts.answer.uncited,
            "passages": parts.passages,
            "perspectives": parts.perspectives,
            "personas": parts.personas,
            "disputed": parts.disputed,
            "notes": [*parts.notes, *parts.answer.notes],
        }
        return dict(to_jsonable_python(found))

    def asked(self, item: Item) -> dict[str, Any]:
        return {"settings": self.settings.answering, "subject": item.text}


Text = Essays | Answers
"""How one kind of text is written and read."""


def text_of(settings: EvaluationConfig) -> Text:
    """How the configured methods' texts are written."""
    return Essays(settings) if settings.kind == "essay" else Answers(settings)


def carried(item: Item) -> dict[str, Any]:
    """What an item brings along for metrics: its partial answers, say."""
    found = item.model_dump(mode="json")
    return {name: found[name] for name in CARRIED if found.get(name) not in (None, [], "")}


def essay_document(parts: EssayParts) -> dict[str, Any]:
    """What a method produced, as the fields of an essay's result."""
    essay = parts.essay
    return dict(
        to_jsonable_python(
            {
                "personas": parts.personas,
                "debate": parts.debate.turns,
                "debate_ended": parts.debate.ended,
                "plan": parts.plan,
                "essay": essay.text,
                "citations": essay.citations,
                "citation_figures": essay.figures,
                "uncited": essay.uncited,
                "notes": parts.notes,
            }
        )
    )


def checked(
    text: Text, metrics: Mapping[str, Metric], datasets: Mapping[str, tuple[Dataset, list[Item]]]
) -> None:
    """Refuse, before anything is spent, what the datasets cannot give.

    Raises:
        ConfigError: A metric reads a field that no row of a dataset will have, or the methods
            write about another kind of item.
    """
    for name, (dataset, items) in datasets.items():
        asks = "question" if any(hasattr(item, "partial_answers") for item in items) else ""
        if text.kind == "answer" and not asks:
            raise ConfigError(
                f"the dataset {name} holds propositions, and answer methods answer questions",
                remedy="choose a dataset of questions: dataset=debatable",
            )
        if text.kind == "essay" and asks:
            raise ConfigError(
                f"the dataset {name} holds questions, and essay methods write on propositions",
                remedy="choose a dataset of propositions: dataset=propositions",
            )
        provided = text.provides | _carried(items)
        for label, metric in metrics.items():
            missing = [field for field in metric.fields if field not in provided]
            if missing:
                raise ConfigError(
                    f"the metric {label} cannot be had on {name}",
                    expected=f"rows with {', '.join(metric.fields)}",
                    got=f"{text.kind}s on {dataset.name} have no {', '.join(missing)}",
                    remedy="choose other metrics, or a dataset that has them",
                )


def _carried(items: Iterable[Item]) -> set[str]:
    found = {name for item in items for name in carried(item)}
    return found | {"reference"} if "partial_answers" in found else found


__all__ = ["Answers", "Essays", "Text", "carried", "checked", "essay_document", "text_of"]
