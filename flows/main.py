"""Handing a flow to Hydra, and Hydra's composed configuration to the flow."""

from __future__ import annotations

import functools
import os
import re
import sys
from difflib import get_close_matches
from typing import Any

from flows.arguments import CONF, checked, flags_first, keys, quoted, several, split, tree
from flows.environment import CHECKOUT
from signatures.errors import ConfigError, InputError, MootError

_GROUPS = (
    "backend", "embedder", "evaluator", "fetch", "paths", "retriever", "runner", "search",
    "tracking",
)  # fmt: skip

META = "experiment=meta"
"""With it ``moot evaluation`` measures measures, which is ``moot meta``."""


def run_flow(name: str, words: list[str]) -> int:
    """Compose the flow's configuration with Hydra and run it, once or as a sweep.

    Raises:
        MootError: Whatever went wrong, said plainly.
    """
    name, words = same_as(name, words)
    subject, rest = split(name, several(name, words))
    if subject is not None:
        rest = [*rest, quoted(checked(name, subject))]
    _hydra(name, flags_first(rest))
    return 0


def same_as(name: str, words: list[str]) -> tuple[str, list[str]]:
    """The flow a command means: an evaluation of measures is a flow of its own."""
    return ("meta" if name == "evaluation" and META in words else name), words


def _hydra(name: str, words: list[str]) -> None:
    import hydra
    from hydra.errors import HydraException
    from omegaconf.errors import OmegaConfBaseException

    register_resolvers()
    # Its own handler prints a summary and exits 1; ours says one line and exits by kind.
    os.environ["HYDRA_FULL_ERROR"] = "1"
    failures: list[MootError] = []
    job = functools.partial(_task, failures)
    entry = hydra.main(version_base="1.3", config_path="../conf", config_name=name)(job)
    argv, sys.argv = sys.argv, [f"moot {name}", *words]
    try:
        entry()
    except (HydraException, OmegaConfBaseException) as error:
        raise translated(name, error) from error
    finally:
        sys.argv = argv
    if failures:
        raise failures[0]


def register_resolvers() -> None:
    """Teach OmegaConf the two resolvers our yaml uses."""
    from omegaconf import OmegaConf

    from flows.run import new_id

    OmegaConf.register_new_resolver("moot.run_id", new_id, use_cache=True, replace=True)
    OmegaConf.register_new_resolver("moot.checkout", lambda: str(CHECKOUT), replace=True)


def _task(failures: list[MootError], config: Any) -> None:
    """The function Hydra runs: once, or for each job of a sweep.

    A single run's error is handed over in ``failures``: Hydra would print lines of its own
    around it. In a sweep it is raised, and Hydra does what its documentation says.
    """
    from hydra.core.hydra_config import HydraConfig
    from hydra.types import RunMode
    from omegaconf import OmegaConf

    from flows.launch import launch

    hydra_config = HydraConfig.get()
    plain = OmegaConf.to_container(config, resolve=True, throw_on_missing=True)
    assert isinstance(plain, dict)  # noqa: S101 - a root configuration is a mapping
    flow: str = hydra_config.job.config_name or ""
    sweep = hydra_config.mode == RunMode.MULTIRUN
    values = {str(k): v for k, v in plain.items()}
    try:
        launch(flow, values, hydra_config.runtime.output_dir, one_line=sweep)
    except MootError as error:
        if sweep:
            raise
        failures.append(error)


def translated(flow: str, error: Exception) -> MootError:
    """One line for what Hydra or OmegaConf found."""
    cause: BaseException | None = error
    while cause is not None:
        if isinstance(cause, MootError):
            return cause
        cause = cause.__cause__ or cause.__context__
    text = str(error)
    if re.search(r"(mandatory|missing).*subject|subject.*(mandatory|missing)", text, re.I | re.S):
        return InputError(
            f"moot {flow} needs its subject", remedy=f'give it in quotes: moot {flow} "..."'
        )
    if match := re.search(r"Could not override '([^']+)'|Key '([^']+)' is not in struct", text):
        return _unknown_key(flow, match[1] or match[2])
    if match := re.search(r"Could not (?:find|load) '([\w./@-]+)'", text):
        return _unknown_choice(match[1], text)
    return ConfigError(_first_line(text), remedy=f"moot {flow} --help shows the options")


def _unknown_key(flow: str, key: str) -> ConfigError:
    known = sorted(_all_keys(flow))
    nearest = get_close_matches(key, known, n=3, cutoff=0.5)
    hint = f"did you mean {', '.join(nearest)}?" if nearest else f"moot {flow} --help shows them"
    if key.split(".")[0] == "search":
        hint = "it goes with retriever=web"
    elif key in known:
        group = key.split(".")[0]
        hint = f"it goes with another {group}=; in a sweep over {group} write ++{key}="
    return ConfigError(f"moot {flow} has no option {key!r}", remedy=hint)


def _unknown_choice(name: str, text: str) -> ConfigError:
    group, _, choice = name.rpartition("/")
    # Of a list's members Hydra names the one that is not there, and not those that are.
    known = sorted(path.stem for path in (CONF / group).glob("*.yaml"))
    options = re.findall(r"^\t(\S+)$", text, re.M) or known
    nearest = get_close_matches(choice, options, n=2, cutoff=0.4)
    hint = f"did you mean {' or '.join(nearest)}? " if nearest else ""
    listed = f"there are {', '.join(sorted(options))}" if options else ""
    return ConfigError(f"unknown {group or 'option'} {choice!r}", remedy=(hint + listed) or None)


def _all_keys(flow: str) -> set[str]:
    """Every dotted key of the flow's own yaml, and its groups."""
    import yaml

    found = set(keys(flow))

    def walk(node: Any, prefix: str) -> None:
        if isinstance(node, dict):
            for key, value in node.items():
                found.add(f"{prefix}{key}")
                walk(value, f"{prefix}{key}.")

    walk({key: node for key, node in tree(flow).items() if key not in {"defaults", "hydra"}}, "")
    for group in _GROUPS:
        for path in sorted((CONF / group).glob("*.yaml")):
            walk(yaml.safe_load(path.read_text(encoding="utf-8")), f"{group}.")
    return found


def _first_line(text: str) -> str:
    lines = [line.strip() for line in text.splitlines() if line.strip()]
    return lines[0][:300] if lines else "the configuration cannot be composed"
