"""The code of a registered program: it reads the JSON beside it, and holds nothing else.

``predict`` gives back the compiled program as JSON for each input, for whoever loads it by MLflow
alone; what runs it is a flow with ``program=models:/...``.
"""

from __future__ import annotations

from pathlib import Path
from typing import Any

import mlflow
from mlflow.pyfunc import PythonModel


class CompiledProgram(PythonModel):
    """Prompts of a program, as JSON."""

    def load_context(self, context: Any) -> None:
        """Read the program."""
        self.program = Path(context.artifacts["program"]).read_text(encoding="utf-8")

    def predict(self, model_input: list[str]) -> list[str]:
        """The program, whatever is asked."""
        return [self.program for _ in model_input]


mlflow.models.set_model(CompiledProgram())
