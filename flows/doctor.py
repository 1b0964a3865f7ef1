"""What is installed, which pins are broken, and what can be reached."""

from __future__ import annotations

import os
import platform
import sys
from collections.abc import Iterator
from importlib.metadata import PackageNotFoundError, requires, version
from pathlib import Path
from typing import Any

import yaml

from flows.arguments import CONF
from flows.environment import artifacts, free_megabytes, prepare
from signatures.errors import MootError

SHOWN = (
    "dspy", "prefect", "openai", "lancedb", "sentence-transformers", "unstructured", "mlflow",
    "hydra-core", "dvc", "torch", "transformers",
)  # fmt: skip
LEAST_FREE_MB = 1000


def examine() -> list[dict[str, str]]:
    """One row per thing looked at: ``{"thing", "status": ok|absent|broken, "detail"}``."""
    root = artifacts()
    prepare(root)
    return [*_versions(), *_pins(), *_places(root), _index(root), *_backends(), *_searches()]


def report(rows: list[dict[str, str]]) -> str:
    """The rows as text, one line each."""
    marks = {"ok": "ok    ", "absent": "absent", "broken": "BROKEN"}
    return "\n".join(f"{marks[r['status']]}  {r['thing']:<24} {r['detail']}" for r in rows)


def _row(thing: str, status: str, detail: str) -> dict[str, str]:
    return {"thing": thing, "status": status, "detail": detail}


def _versions() -> Iterator[dict[str, str]]:
    yield _row("python", "ok", f"{platform.python_version()} at {sys.prefix}")
    for name in SHOWN:
        try:
            yield _row(name, "ok", version(name))
        except PackageNotFoundError:
            yield _row(name, "broken", "not installed")


def _pins() -> Iterator[dict[str, str]]:
    """Requirements of our own that the environment does not meet."""
    from packaging.requirements import Requirement

    for text in requires("moot") or []:
        wanted = Requirement(text)
        if wanted.marker is not None and not wanted.marker.evaluate({"extra": ""}):
            continue
        try:
            found = version(wanted.name)
        except PackageNotFoundError:
            yield _row(f"pin {wanted.name}", "broken", f"wants {wanted}, not installed")
            continue
        if not wanted.specifier.contains(found, prereleases=True):
            yield _row(f"pin {wanted.name}", "broken", f"wants {wanted.specifier}, has {found}")


def _places(root: Path) -> Iterator[dict[str, str]]:
    free = free_megabytes(root)
    status = "ok" if free >= LEAST_FREE_MB else "broken"
    yield _row("artifacts", status, f"{root}, {free} MB free")
    store = root / "mlflow.db"
    detail = f"sqlite:///{store}"
    yield _row("tracking store", "ok" if store.exists() else "absent", detail)
    server = os.environ.get("PREFECT_API_URL")
    yield _row("prefect server", "ok", server or "an ephemeral one of each process")


def _index(root: Path) -> dict[str, str]:
    from modules.retrieval import EvidenceStore, MiniLM

    try:
        store = EvidenceStore(root / "index", MiniLM())
        return _row("index", "ok", f"{store.count()} chunks as {store.corpus_version()}")
    except MootError as error:
        return _row("index", "absent", error.line())


def _backends() -> Iterator[dict[str, str]]:
    from flows.building import built

    prices = yaml.safe_load((CONF / "prices" / "default.yaml").read_text(encoding="utf-8"))
    for path in sorted((CONF / "backend").glob("*.yaml")):
        node: dict[str, Any] = yaml.safe_load(path.read_text(encoding="utf-8"))
        if node.get("prices") == "${prices}":
            node["prices"] = prices
        try:
            detail = built("backend", node).probe()
            yield _row(f"backend {path.stem}", "ok", detail)
        except MootError as error:
            yield _row(f"backend {path.stem}", "absent", error.line())


def _searches() -> Iterator[dict[str, str]]:
    """The search providers of retriever=web: whether their keys are set; none is asked."""
    from flows.building import built

    for path in sorted((CONF / "search").glob("*.yaml")):
        node: dict[str, Any] = yaml.safe_load(path.read_text(encoding="utf-8"))
        try:
            built("search", node).check()
            yield _row(f"search {path.stem}", "ok", f"at {node['base_url']}, not asked")
        except MootError as error:
            yield _row(f"search {path.stem}", "absent", error.line())
