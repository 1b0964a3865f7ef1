"""The run-time edge: environment first, then types, then the flow, then its result on stdout."""

from __future__ import annotations

import json
import os
from importlib import import_module
from pathlib import Path
from typing import Any

from flows import prefect_server
from flows.environment import prepare
from modules.disk import storage
from signatures.errors import IncompleteError


def launch(flow: str, plain: dict[str, Any], folder: str, *, one_line: bool = False) -> None:
    """Run a flow on a plain configuration and print its result.

    Args:
        flow: The flow's name.
        plain: The resolved configuration.
        folder: The run's folder.
        one_line: Print JSON on one line, as in a sweep.

    Raises:
        MootError: Whatever went wrong, said plainly.
    """
    config = prepared(flow, plain)
    document = carried_out(flow, config, plain, folder)
    if config.output == "json":
        print(json.dumps(document, ensure_ascii=False, indent=None if one_line else 2))
    else:
        from flows.readable import readable

        print(readable(flow, document))
    whole(document)


def prepared(flow: str, plain: dict[str, Any]) -> Any:
    """The environment made ready, and the flow's typed configuration."""
    root = Path(plain["paths"]["artifacts"]).absolute()
    with storage(root):
        prepare(root)
    from flows.config import typed
    from flows.configs import CONFIGS

    return typed(CONFIGS[flow], plain)


def carried_out(
    flow: str, config: Any, plain: dict[str, Any], folder: str | None
) -> dict[str, Any]:
    """Import ``flows.FLOW`` while the slow parts start, and run the flow it is named after.

    Raises:
        MootError: Whatever went wrong, said plainly.
    """
    _warm(config)
    run = getattr(import_module(f"flows.{flow}"), flow)
    from flows.runners import task_runner
    from flows.tracking import settle

    other = task_runner(flow, config)
    try:
        with prefect_server.connected():
            return dict(stored(run, other)(plain, folder))
    finally:
        settle()


def whole(document: dict[str, Any]) -> None:
    """Raise IncompleteError if a result lacks more than was allowed."""
    if document.get("incomplete"):
        raise IncompleteError(
            str(document["incomplete"]), remedy="mend them, or allow more with max_failed"
        )


def stored(flow: Any, task_runner: Any = None) -> Any:
    """The flow with its results where ours are; else it asks the server, three times, where."""
    where = Path(os.environ["PREFECT_RESULTS_LOCAL_STORAGE_PATH"])
    own = {} if task_runner is None else {"task_runner": task_runner}
    return flow.with_options(result_storage=where, persist_result=False, **own)


def _warm(config: Any) -> None:
    """Start what is slow before it is needed: Prefect's server, and the embedder's weights."""
    from flows.runtime import embedder_of, in_background

    prefect_server.start(config.paths.artifacts)
    if config.embeds:
        in_background(lambda: embedder_of(config).warm())
