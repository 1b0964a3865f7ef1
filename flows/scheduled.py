"""The entrypoint of deployments (``prefect.yaml``): any flow, its configuration composed before.

A deployment bypasses Hydra, so ``prefect deploy`` composes its configuration and stores it with the
deployment; a change of ``conf`` takes effect with the next ``prefect deploy``.
"""

from __future__ import annotations

from typing import Any

from prefect import flow

from signatures.errors import ConfigError


@flow(name="scheduled", flow_run_name="scheduled-{name}")
def scheduled(name: str, config: str) -> dict[str, Any]:
    """Run one of Moot's flows, and say where its result lies.

    Args:
        name: The flow's name: evaluation, ingest ...
        config: Its configuration as YAML: what ``moot FLOW ... --cfg job --resolve`` prints.

    Returns:
        ``{"run": id, "dir": folder}``, or for a flow that keeps none its document.

    Raises:
        MootError: Whatever went wrong, said plainly; the flow run fails.
    """
    import yaml

    from flows.launch import carried_out, prepared, whole
    from flows.run import new_id

    plain = yaml.safe_load(config)
    if not isinstance(plain, dict) or "paths" not in plain:
        raise ConfigError(
            f"the configuration of {name} cannot be read",
            got=repr(config)[:80],
            remedy="deploy it again: prefect deploy --all",
        )
    settings = prepared(name, plain)
    folder = settings.paths.runs / name / new_id(settings.subject or name)
    document = carried_out(name, settings, plain, str(folder))
    whole(document)
    run = document.get("run")
    return {"run": run["id"], "dir": run["dir"]} if isinstance(run, dict) else document


__all__ = ["scheduled"]
