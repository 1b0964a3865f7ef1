"""Benchmarks of retrieval as datasets that a yaml names."""

from __future__ import annotations

from abc import abstractmethod
from pathlib import Path

from pydantic import Field

from evals.datasets import Dataset, Item
from evals.pir import reading
from evals.pir.task import Task
from signatures.errors import InputError


class Benchmark(Dataset):
    """A dataset of retrieval tasks; as items, it is its root queries."""

    @abstractmethod
    def read(self) -> list[Task]:
        """The tasks, whole.

        Raises:
            InputError: A file cannot be read, or a task of it cannot be used.
        """

    def tasks(self) -> list[Task]:
        """The tasks with at most ``limit`` root queries each, over all of their documents.

        Raises:
            InputError: See :meth:`read`; or two tasks have one name.
        """
        found = self.read()
        names = [task.name for task in found]
        if len(set(names)) < len(names):
            raise InputError(f"{self.name} holds two tasks of one name", got=", ".join(names))
        return [first(task, self.limit) for task in found]

    def items(self) -> list[Item]:
        found = self.tasks()
        many = len(found) > 1
        return [
            Item(id=f"{task.name}-{at}" if many else str(at), text=root)
            for task in found
            for at, root in enumerate(task.root_names)
        ][: self.limit]


class PirFile(Benchmark):
    """Tasks of a file in the demo's format.

    Args:
        path: The file.
        chosen: Which tasks, as ``tasks``; None takes all.
    """

    path: Path
    chosen: tuple[str, ...] | None = Field(default=None, alias="tasks")

    def read(self) -> list[Task]:
        return reading.demo(self.path, self.chosen)


class PerspectrumTask(Benchmark):
    """The full PIR-Perspectrum task.

    Args:
        path: The folder of Perspectrum's files.
        split: ``train``, ``dev`` or ``test``.
    """

    path: Path
    split: str = "test"

    def read(self) -> list[Task]:
        return [reading.perspectrum(self.path, self.split)]


class HubTask(Benchmark):
    """A task in the layout of the hub.

    Args:
        path: The folder.
        task: Which task it is.
        split: Which relevance judgements.
    """

    path: Path
    task: str
    split: str = "test"

    def read(self) -> list[Task]:
        return [reading.hub(self.path, self.task, self.split)]


def first(task: Task, roots: int | None) -> Task:
    """The task with its first ``roots`` root queries alone."""
    if roots is None or roots >= len(task.root_names):
        return task
    kept = [at for at, place in enumerate(task.root_places) if place < roots]
    fields = ("queries", "roots", "perspectives", "labels", "gold")
    columns = {name: tuple(getattr(task, name)[at] for at in kept) for name in fields}
    return Task(
        name=task.name,
        documents=task.documents,
        document_labels=task.document_labels,
        **columns,
    )


__all__ = ["Benchmark", "HubTask", "PerspectrumTask", "PirFile", "first"]
