"""What ``moot resume`` can take up besides an interrupted run: failed units, and sweeps."""

from __future__ import annotations

import itertools
import json
import logging
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import yaml

from flows import run as runs_on_disk
from modules.disk import storage
from signatures.errors import ConfigError, InputError, MootError

log = logging.getLogger("moot.resume")

SWEEP_FILE = "multirun.yaml"


def reopen(folder: Path) -> int:
    """Open a finished evaluation again for the units that failed; its result so far is kept as
    ``result-N.json``.

    Returns:
        How many units failed.

    Raises:
        InputError: The run is no finished evaluation, or nothing in it failed.
    """
    flow, _ = runs_on_disk.load(folder)
    path = folder / runs_on_disk.RESULT_FILE
    if flow != "evaluation" or not path.exists():
        raise InputError(
            f"{folder.name} is no finished evaluation",
            remedy="an unfinished run tries its failed units again by itself: moot resume",
        )
    failures = json.loads(path.read_text(encoding="utf-8"))["failures"]
    if not failures:
        raise InputError(
            f"no unit of {folder.name} failed", remedy=f"see it: moot show {folder.name}"
        )
    number = 1 + sum(1 for _ in folder.glob("result-*.json"))
    path.rename(folder / f"result-{number}.json")
    return len(failures)


def sweep_of(runs: Path, name: str | None) -> Path | None:
    """The folder of the sweep that ``name`` means, if it means one."""
    if not name:
        return None
    if (Path(name) / SWEEP_FILE).exists():
        return Path(name).absolute()
    every = (path.parent for path in runs.glob(f"*/*/{SWEEP_FILE}"))
    found = sorted(folder for folder in every if folder.name.startswith(name))
    if len(found) > 1:
        raise InputError(f"{len(found)} sweeps match {name!r}", expected="one sweep")
    return found[0] if found else None


def resume_sweep(folder: Path, overrides: list[str]) -> int:
    """Finish a sweep: jobs that are done are left alone, others go on, and the rest is begun.

    Returns:
        How many jobs were run.

    Raises:
        ConfigError: Overrides were given, which would make it another sweep.
        MootError: The first failure among its jobs, once all of them were tried.
    """
    if overrides:
        raise ConfigError(
            "a sweep is resumed as it is", got=" ".join(overrides),
            remedy="resume one of its runs by itself, or start another sweep",
        )  # fmt: skip
    from flows.launch import launch

    flow, jobs = _jobs(folder)
    begun = _begun(folder)
    ran, problems = 0, []
    for number, words in enumerate(jobs, start=1):
        place = begun.get(tuple(words))
        if place is not None and (place / runs_on_disk.RESULT_FILE).exists():
            continue
        log.warning("job %d of %d: %s", number, len(jobs), " ".join(words) or "(no override)")
        place, plain = _prepared(folder, flow, words, place)
        ran += 1
        try:
            launch(flow, plain, str(place), one_line=True)
        except MootError as error:
            log.warning("job %d failed: %s", number, error.line())
            problems.append(error)
    if problems:
        raise problems[0]
    return ran


def _jobs(folder: Path) -> tuple[str, list[list[str]]]:
    """The sweep's flow, and the words of each of its jobs, as Hydra expands them."""
    from hydra.core.override_parser.overrides_parser import OverridesParser

    kept = yaml.safe_load((folder / SWEEP_FILE).read_text(encoding="utf-8"))["hydra"]
    parsed = OverridesParser.create().parse_overrides(list(kept["overrides"]["task"]))
    # As Hydra's own sweeper words them: what is given twice counts once, colons are escaped.
    lists: dict[str, list[str]] = {}
    for one in parsed:
        key = one.get_key_element()
        swept = one.is_sweep_override()
        values = one.sweep_string_iterator() if swept else [one.get_value_element_as_str()]
        lists[key] = [f"{key}={value}" for value in values]
    return str(kept["job"]["config_name"]), [
        list(job) for job in itertools.product(*lists.values())
    ]


def _begun(folder: Path) -> dict[tuple[str, ...], Path]:
    """The runs of the sweep by their words."""
    return {tuple(words): place for place, words in _kept_words(folder)}


def _kept_words(folder: Path) -> Iterator[tuple[Path, list[str]]]:
    for path in sorted(folder.glob("*/.hydra/overrides.yaml")):
        words = yaml.safe_load(path.read_text(encoding="utf-8")) or []
        yield path.parent.parent, [str(word) for word in words]


def _prepared(
    folder: Path, flow: str, words: list[str], place: Path | None
) -> tuple[Path, dict[str, Any]]:
    """A job's folder and configuration: as it began, or composed anew."""
    if place is not None and (place / runs_on_disk.CONFIG_FILE).exists():
        return place, runs_on_disk.load(place)[1]
    from hydra import compose, initialize_config_module
    from hydra.errors import HydraException
    from omegaconf import OmegaConf
    from omegaconf.errors import OmegaConfBaseException

    from flows.main import register_resolvers, translated

    register_resolvers()
    try:
        with initialize_config_module("conf", version_base="1.3"):
            config = compose(flow, words)
        plain = OmegaConf.to_container(config, resolve=True, throw_on_missing=True)
    except (HydraException, OmegaConfBaseException) as error:
        raise translated(flow, error) from error
    values: dict[str, Any] = {str(k): v for k, v in dict(plain).items()}  # type: ignore[arg-type]  # a root configuration is a mapping
    place = place or folder / runs_on_disk.new_id(str(values.get("name") or flow))
    # As Hydra leaves them: the next resume knows the job by its words.
    with storage(place):
        (place / ".hydra").mkdir(parents=True, exist_ok=True)
        (place / ".hydra" / "overrides.yaml").write_text(yaml.safe_dump(words), encoding="utf-8")
    return place, values


__all__ = ["reopen", "resume_sweep", "sweep_of"]
