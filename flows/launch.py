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
    root = Path(plain["paths"]["artifacts"]).absolute()
    with storage(root):
        prepare(root)
    from flows.config import typed
    from flows.configs import CONFIGS

    config = typed(CONFIGS[flow], plain)
    document = _run(flow, config, plain, folder)
    if config.output == "json":
        print(json.dumps(document, ensure_ascii=False, indent=None if one_line else 2))
    else:
        from flows.readable import readable

        print(readable(flow, document))
    if document.get("incomplete"):
        raise IncompleteError(
            str(document["incomplete"]), remedy="mend them, or allow more with max_failed"
        )


def _run(flow: str, config: Any, plain: dict[str, Any], folder: str) -> dict[str, Any]:
    """Import ``flows.FLOW`` while the slow parts start, and run the flow it is named after."""
    _warm(config)
    run = getattr(import_module(f"flows.{flow}"), flow)
    from flows.tracking import settle

    try:
        with prefect_server.connected():
            return dict(stored(run)(plain, folder))
    finally:
        settle()


def stored(flow: Any) -> Any:
    """The flow with its results where ours are; else it asks the server, three times, where."""
    where = Path(os.environ["PREFECT_RESULTS_LOCAL_STORAGE_PATH"])
    return flow.with_options(result_storage=where, persist_result=False)


def _warm(config: Any) -> None:
    """Start what is slow before it is needed: Prefect's server, and the embedder's weights."""
    from flows.runtime import embedder_of, in_background

    prefect_server.start(config.paths.artifacts)
    if config.embeds:
        in_background(lambda: embedder_of(config).warm())
