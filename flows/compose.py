"""Composing a flow's configuration outside Hydra's own command line: for the page."""

from __future__ import annotations

import threading
from pathlib import Path
from typing import Any

from flows.arguments import CONF, checked
from flows.main import register_resolvers

_lock = threading.Lock()


def composed(flow: str, subject: str, overrides: dict[str, Any]) -> dict[str, Any]:
    """The plain configuration that ``moot FLOW "subject" key=value ...`` would run with.

    Args:
        flow: The flow's name.
        subject: Its subject, any text.
        overrides: Dotted key, or group, -> value; values are plain data.

    Raises:
        MootError: An option is unknown, or the subject cannot be used.
    """
    from hydra import compose, initialize_config_module
    from hydra.errors import HydraException
    from omegaconf import OmegaConf
    from omegaconf.errors import OmegaConfBaseException

    from flows.main import translated

    groups = {p.name for p in CONF.iterdir() if p.is_dir()}
    words = [f"{key}={value}" for key, value in overrides.items() if key.split("@")[0] in groups]
    with _lock:  # Hydra's state is the process's
        register_resolvers()
        try:
            with initialize_config_module("conf", version_base="1.3"):
                config = compose(flow, ["subject=x", *words])
        except (HydraException, OmegaConfBaseException) as error:
            raise translated(flow, error) from error
        for key, value in overrides.items():
            if key.split("@")[0] not in groups:
                OmegaConf.update(config, key, value)
        plain: Any = OmegaConf.to_container(config, resolve=True, throw_on_missing=True)
    return {**plain, "subject": checked(flow, subject)}


def options(group: str, package: str = "") -> dict[str, str]:
    """The options of a group, each with the comment that its file begins with.

    With a ``package``, those whose ``_target_`` lies in it.
    """
    found = {}
    for path in sorted((CONF / group).glob("*.yaml")):
        text = path.read_text(encoding="utf-8")
        if package and f"\n_target_: {package}." not in text:
            continue
        lines = [x[1:].strip() for x in text.split("\n")[:2] if x[:1] == "#"]
        found[path.stem] = next((x for x in lines if not x.startswith("@package")), "")
    return found


def index_exists(plain: dict[str, Any]) -> bool:
    """Whether there is an index where the configuration looks for one."""
    return Path(plain["paths"]["index"]).exists()


__all__ = ["composed", "index_exists", "options"]
