"""What an evaluation is: all that its units depend on, so that a resumed one can say what changed.

The identity is kept with the run. Units whose keys no longer match run again by themselves; this
tells the person who resumes why.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping
from typing import Any

from pydantic_core import to_jsonable_python

from evals.datasets import digest
from flows.cells import Cells
from flows.evaluation_config import EvaluationConfig
from modules.retrieval.web.retriever import WebSpec

Identity = dict[str, str]
"""What is meant -> what it was, short enough to print."""


def identity_of(settings: EvaluationConfig, cells: Cells) -> Identity:
    """The evaluation's identity as it is now."""
    found = {f"dataset {name}": digest(items) for name, items in cells.items.items()}
    found |= {f"backend {name}": b.identity() for name, b in settings.columns().items()}
    found |= {f"role {role}": b.identity() for role, b in settings.roles.items()}
    version = cells.corpus_version
    if isinstance(settings.retriever, WebSpec):
        version = "the web, as this run finds it"  # what it has fetched grows as it goes
    found["index"] = "none" if version is None else str(version)
    found["seed"] = str(settings.seed)
    found["replicates"] = str(settings.replicates)
    for name, program in cells.writing.identities().items():
        found[f"method {name}"] = _hash([settings.methods[name.split("/")[1]], program])
    for name, score in cells.scoring.identities().items():
        found[f"metric {name}"] = _hash(score)
    section = settings.settings if settings.kind == "essay" else settings.answering
    found["settings"] = _hash([section, settings.stance])
    return found


def changes(before: Mapping[str, str], now: Mapping[str, str]) -> list[str]:
    """What differs, a line each."""
    lines = []
    for name in sorted({*before, *now}):
        old, new = before.get(name), now.get(name)
        if old == new:
            continue
        if old is None:
            lines.append(f"{name} is new")
        elif new is None:
            lines.append(f"{name} is gone")
        else:
            lines.append(f"{name} changed: {old} -> {new}")
    return lines


def _hash(content: Any) -> str:
    text = json.dumps(to_jsonable_python(content, fallback=str), sort_keys=True, ensure_ascii=False)
    return hashlib.sha256(text.encode()).hexdigest()[:10]


__all__ = ["Identity", "changes", "identity_of"]
