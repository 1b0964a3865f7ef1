"""Where a result was made: the code's commit, whether it was changed, the packages it ran with."""

from __future__ import annotations

import platform
import shutil
import subprocess
from functools import cache
from importlib.metadata import distributions
from pathlib import Path

from flows.environment import CHECKOUT
from signatures.types import Record


class Code(Record):
    """The version of the code: ``commit`` is empty outside a checkout, ``dirty`` None there."""

    commit: str
    dirty: bool | None


class Provenance(Record):
    """What a run was made with."""

    code: Code
    python: str
    system: str
    packages: dict[str, str]


@cache
def code() -> Code:
    """The checkout's commit, and whether files differ from it."""
    commit = _git("rev-parse", "HEAD")
    if commit is None:
        return Code(commit="", dirty=None)
    changed = _git("status", "--porcelain", "--untracked-files=no")
    return Code(commit=commit, dirty=None if changed is None else bool(changed))


@cache
def provenance() -> Provenance:
    """What this process is made of; names and versions only, nothing of its environment."""
    found = {str(d.metadata["Name"]): str(d.version) for d in distributions() if d.metadata["Name"]}
    return Provenance(
        code=code(),
        python=platform.python_version(),
        system=f"{platform.system()} {platform.machine()}",
        packages=dict(sorted(found.items(), key=lambda pair: pair[0].lower())),
    )


def requirements(made: Provenance) -> str:
    """The packages as a requirements file."""
    head = f"# python {made.python}, {made.system}"
    return "\n".join([head, *(f"{name}=={v}" for name, v in made.packages.items())]) + "\n"


def _git(*words: str, folder: Path = CHECKOUT) -> str | None:
    git = shutil.which("git")
    if git is None or not (folder / ".git").exists():
        return None
    try:
        done = subprocess.run(  # noqa: S603 - git itself, fixed words
            [git, "-C", str(folder), *words], capture_output=True, text=True, timeout=10, check=True
        )
    except (OSError, subprocess.SubprocessError):
        return None
    return done.stdout.strip()


__all__ = ["Code", "Provenance", "code", "provenance", "requirements"]
