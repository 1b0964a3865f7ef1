"""Where a flow's units run: in threads of this process, or on a Dask cluster."""

from __future__ import annotations

import os
from typing import Any
from urllib.parse import urlsplit

from flows.config import FlowConfig
from signatures.errors import ConfigError

REMOTE = frozenset({"evaluation"})
"""Flows whose units can be rebuilt elsewhere from the run's configuration."""

CONNECT_S = 10.0
LOOPBACK = frozenset({"127.0.0.1", "::1", "localhost"})


def task_runner(flow: str, config: FlowConfig) -> Any:
    """Prefect's task runner for the flow, or None for the flow's own: its threads.

    Raises:
        ConfigError: The cluster cannot be used, said before anything is spent.
    """
    if config.runner.kind == "thread":
        return None
    if flow not in REMOTE:
        raise ConfigError(
            f"moot {flow} does not run on Dask",
            expected=" or ".join(sorted(REMOTE)),
            remedy="leave out runner=dask",
        )
    from modules.retrieval.web.retriever import WebSpec

    if isinstance(getattr(config, "retriever", None), WebSpec):
        raise ConfigError(
            "retriever=web does not run on Dask: one process keeps the pages of a run",
            remedy="leave out runner=dask, or read an index: retriever=hybrid",
        )
    try:
        from prefect_dask import DaskTaskRunner
    except ModuleNotFoundError as error:
        raise ConfigError(
            "runner=dask needs prefect-dask",
            got=f"no module {error.name}",
            remedy='install it with: pip install "moot[dask]"',
        ) from error
    address = str(config.runner.address)
    _answered(address)
    return DaskTaskRunner(address=address)


def _answered(address: str) -> None:
    """Refuse a cluster that does not answer, has no workers, or could not reach Prefect."""
    from distributed import Client

    try:
        with Client(address, timeout=CONNECT_S, set_as_default=False) as client:
            workers = client.scheduler_info(n_workers=-1)["workers"]
    except (OSError, ValueError) as error:
        raise ConfigError(
            f"no Dask scheduler answers at {address}",
            got=type(error).__name__,
            remedy="start one with `dask scheduler`, or set runner.address",
        ) from error
    if not workers:
        raise ConfigError(
            f"the Dask cluster at {address} has no workers",
            remedy=f"start some, where moot is installed: dask worker {address}",
        )
    host = urlsplit(address).hostname
    own = urlsplit(os.environ.get("PREFECT_API_URL", "")).hostname
    if host not in LOOPBACK and own in LOOPBACK:
        raise ConfigError(
            f"workers of {address} cannot reach Prefect's server, which this process keeps",
            expected="a server of their own: PREFECT_API_URL",
            remedy="prefect server start --host 0.0.0.0, and see docs/scale.md",
        )


__all__ = ["task_runner"]
