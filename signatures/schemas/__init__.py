"""JSON Schemas of every result, shipped as files and generated from the types."""

from __future__ import annotations

import json
from pathlib import Path

from signatures.results import RESULTS


def folder() -> Path:
    """Where the files are."""
    return Path(__file__).resolve().parent


def rendered(name: str) -> str:
    """The schema of the result ``name`` as it is written to its file."""
    schema = RESULTS[name].model_json_schema(mode="serialization")
    schema = {"$schema": "https://json-schema.org/draft/2020-12/schema", **schema}
    return json.dumps(schema, indent=2, ensure_ascii=False) + "\n"


def write() -> None:
    """Write every schema."""
    for name in sorted(RESULTS):
        (folder() / f"{name}.json").write_text(rendered(name), encoding="utf-8")


__all__ = ["folder", "rendered", "write"]
