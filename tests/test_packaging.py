"""The top-level packages resolve to this checkout, whatever else is installed."""

from __future__ import annotations

import subprocess
import sys
import tomllib

import pytest

from tests.support import ROOT

PACKAGES = ("app", "conf", "evals", "flows", "modules", "signatures")


@pytest.mark.parametrize("name", PACKAGES)
def test_a_package_is_this_checkouts(name: str) -> None:
    code = f"from importlib.util import find_spec; print(find_spec({name!r}).origin)"
    # -I: no current folder, no PYTHONPATH; what the console script sees.
    done = subprocess.run(
        [sys.executable, "-I", "-c", code], capture_output=True, text=True, check=True
    )
    assert done.stdout.strip() == str(ROOT / name / "__init__.py")


def test_packages_are_listed_explicitly_and_typed() -> None:
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))
    listed = project["tool"]["hatch"]["build"]["targets"]["wheel"]["packages"]
    assert sorted(listed) == sorted(PACKAGES)
    assert all((ROOT / name / "py.typed").exists() for name in PACKAGES)
    assert "Private :: Do Not Upload" in project["project"]["classifiers"]


def test_every_pin_is_in_the_lock() -> None:
    from packaging.requirements import Requirement
    from packaging.version import Version

    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    lines = (ROOT / "requirements.lock").read_text(encoding="utf-8").splitlines()
    locked = {
        name.lower().replace("_", "-"): version
        for name, _, version in (line.partition("==") for line in lines if "==" in line)
    }
    wanted = [*project["dependencies"], *project["optional-dependencies"]["dev"]]
    for text in wanted:
        requirement = Requirement(text)
        version = locked[requirement.name.lower().replace("_", "-")]
        assert requirement.specifier.contains(Version(version)), text
    assert locked["torch"] == "2.13.0"
