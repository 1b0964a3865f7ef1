"""``moot champion``: which compiled programs are registered, and taking a promotion back."""

from __future__ import annotations

import argparse
import json
import os

from flows.environment import artifacts, prepare

NAME = "champion"


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """The arguments of ``moot champion``."""
    parser.add_argument(
        "name", nargs="?", help="a target and its method, as answer/basic; by default all are shown"
    )
    parser.add_argument(
        "--rollback", action="store_true", help="make the champion before this one champion again"
    )
    parser.add_argument("--uri", help="the tracking store; artifacts/mlflow.db by default")


def champion(options: argparse.Namespace) -> int:
    """List registered programs, or roll one back."""
    from flows.registry import listed, model_name, roll_back
    from signatures.errors import ConfigError

    prepare(artifacts())
    uri = options.uri or os.environ.get("MLFLOW_TRACKING_URI") or _own()
    wanted = None
    if options.name is not None:
        target, slash, method = options.name.partition("/")
        if not slash:
            raise ConfigError(
                f"{options.name!r} is no program", expected="TARGET/METHOD, as answer/basic"
            )
        wanted = model_name(target, method)
    if options.rollback:
        if wanted is None:
            raise ConfigError(
                "roll back which program?", remedy="moot champion answer/basic --rollback"
            )
        was, now = roll_back(uri, wanted)
        done = {"name": wanted, "was": was, "champion": now}
        said = f"version {now} is champion" if now else "there is no champion: prompts as written"
        print(json.dumps(done) if options.json else f"{wanted}: {said} (it was {was})")
        return 0
    rows = [row for row in listed(uri) if wanted in (None, row["name"])]
    if options.json:
        print(json.dumps(rows, ensure_ascii=False, indent=2))
        return 0
    for row in rows:
        mark = "champion" if row["champion"] else ""
        told = f"{row.get('optimizer', '')}, {row.get('delta', '')}, run {row.get('run', '')}"
        print(f"{row['name']:<28} {row['version']:>3}  {mark:<9} {told}")
    if not rows:
        print("no program is registered yet: moot optimize")
    return 0


def _own() -> str:
    return f"sqlite:///{artifacts()}/mlflow.db"


__all__ = ["add_arguments", "champion"]
