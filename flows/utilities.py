"""The plain commands: runs, show, resume, doctor."""

from __future__ import annotations

import argparse
import json
import os
import sys
from pathlib import Path
from typing import Any, NoReturn

from flows import resuming
from flows import run as runs_on_disk
from flows.arguments import CONF
from flows.environment import CHECKOUT, artifacts
from signatures.errors import ConfigError, InputError


def runs(options: argparse.Namespace) -> int:
    """List runs, oldest first."""
    rows = [_row(folder) for folder in runs_on_disk.every(artifacts() / "runs")]
    if options.json:
        print(json.dumps(rows, ensure_ascii=False, indent=2))
    else:
        for row in rows:
            print(f"{row['flow']:<8} {row['status']:<10} {row['id']}  {row['subject']}")
        if not rows:
            print("no runs yet")
    return 0


def show(options: argparse.Namespace) -> int:
    """Print the result of a run."""
    folder = runs_on_disk.find(artifacts() / "runs", options.run)
    path = folder / runs_on_disk.RESULT_FILE
    if not path.exists():
        raise InputError(
            f"the run {folder.name} has no result", remedy=f"finish it: moot resume {folder.name}"
        )
    flow, _ = runs_on_disk.load(folder)
    document = json.loads(path.read_text(encoding="utf-8"))
    if options.json:
        print(json.dumps(document, ensure_ascii=False, indent=2))
    else:
        from flows.readable import readable

        print(readable(flow, document))
    return 0


def resume(options: argparse.Namespace) -> int:
    """Finish an interrupted run where it stood; finished stages and LM calls are kept."""
    words = [options.run] if options.run else []
    # `moot resume budget.usd=5` names no run: the first word is then an override.
    overrides = list(options.overrides)
    if words and "=" in words[0]:
        overrides.insert(0, words.pop())
    known = artifacts() / "runs"
    _logged()
    sweep = resuming.sweep_of(known, words[0] if words else None)
    if sweep is not None:
        if not resuming.resume_sweep(sweep, overrides):
            raise InputError(f"all runs of {sweep.name} are finished", remedy="see moot runs")
        return 0
    folder = runs_on_disk.find(known, words[0]) if words else _latest_unfinished()
    flow, plain = runs_on_disk.load(folder)
    for word in overrides:
        _override(plain, word)
    if options.failed:
        resuming.reopen(folder)
    finished = (folder / runs_on_disk.RESULT_FILE).exists()
    if finished and not _goes_on(flow, plain, folder):
        raise InputError(
            f"the run {folder.name} is finished", remedy=f"see it: moot show {folder.name}"
        )
    if options.json:
        plain["output"] = "json"
    from flows.launch import launch

    launch(flow, plain, str(folder))
    return 0


def _logged() -> None:
    """Log as the command that began the run did: progress is told in either."""
    import logging.config

    import yaml

    text = (CONF / "hydra" / "job_logging" / "moot.yaml").read_text(encoding="utf-8")
    logging.config.dictConfig(yaml.safe_load(text))


def app(options: argparse.Namespace) -> NoReturn:
    """Serve the web page until it is interrupted."""
    from importlib.util import find_spec

    if find_spec("streamlit") is None:
        raise ConfigError(
            "the page needs streamlit", got="it is not installed",
            remedy='install it with: pip install "moot[app]"',
        )  # fmt: skip
    page = CHECKOUT / "app" / "main.py"
    words = [sys.executable, "-m", "streamlit", "run", str(page)]
    words += ["--server.port", str(options.port), "--server.address", options.address]
    # In place of this process, so that what stops the command stops the server.
    os.execve(  # noqa: S606 - this interpreter, our own page
        sys.executable, words, {**os.environ, "MOOT_ARTIFACTS": str(artifacts())}
    )


def doctor(options: argparse.Namespace) -> int:
    """Say what is installed, what is broken, and what can be reached."""
    from flows.doctor import examine, report

    rows = examine()
    print(json.dumps(rows, ensure_ascii=False, indent=2) if options.json else report(rows))
    return 1 if any(row["status"] == "broken" for row in rows) else 0


def _goes_on(flow: str, plain: dict[str, Any], folder: Path) -> bool:
    """Whether more is asked of a finished run, which only a debate can give: further rounds."""
    if flow != "debate":
        return False
    from flows.debate_files import latest, reopen

    held = latest(folder)
    if held is None or plain["debate"]["rounds"] <= len(held.rounds):
        return False
    reopen(folder)
    return True


def _latest_unfinished() -> Path:
    known = runs_on_disk.every(artifacts() / "runs")
    open_ = [p for p in known if not (p / runs_on_disk.RESULT_FILE).exists()]
    if not open_:
        raise InputError("no run is unfinished", remedy="`moot runs` lists the runs there are")
    return open_[-1]


def _row(folder: Path) -> dict[str, Any]:
    flow, plain = runs_on_disk.load(folder)
    finished = (folder / runs_on_disk.RESULT_FILE).exists()
    return {
        "id": folder.name,
        "flow": flow,
        "status": "finished" if finished else "unfinished",
        "subject": plain.get("subject"),
        "dir": str(folder),
    }


def _override(plain: dict[str, Any], word: str) -> None:
    """Set one existing key of a plain configuration: ``budget.usd=5``."""
    import yaml

    path, equals, value = word.partition("=")
    node: Any = plain
    *parents, last = path.split(".")
    for name in parents:
        node = node.get(name) if isinstance(node, dict) else None
    if not equals or not isinstance(node, dict) or last not in node:
        raise ConfigError(
            f"the run's configuration has no option {path!r}",
            remedy="see config.yaml in the run's folder",
        )
    node[last] = yaml.safe_load(value)


__all__ = ["app", "doctor", "resume", "runs", "show"]
