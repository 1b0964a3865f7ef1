"""The benchmark of perspective-aware retrieval (PIR, S3): tasks, rankings, measures."""

from __future__ import annotations

from evals.pir.reading import demo, hub, perspectrum
from evals.pir.task import Gold, Task

__all__ = ["Gold", "Task", "demo", "hub", "perspectrum"]
