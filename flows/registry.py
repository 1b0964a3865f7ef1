"""The registry of compiled programs: MLflow's, without pickles.

A registered model's only content is ``program.json``; its code is one short file of ours. The
alias ``champion`` is what ``program=champion`` means; each version remembers whom it replaced, so
that a promotion can be taken back.
"""

from __future__ import annotations

import logging
import os
import warnings
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

from signatures.errors import ConfigError, InputError

if TYPE_CHECKING:
    from signatures.optimize_results import OptimizeResult

ALIAS = "champion"
REPLACED = "moot.replaced"
"""The tag of a version that names the champion before it; empty where there was none."""

PACKAGES = ["mlflow"]
"""What the registered code needs: it reads JSON."""


class Registered(NamedTuple):
    """A version in the registry."""

    name: str
    version: str

    @property
    def uri(self) -> str:
        """How MLflow calls it."""
        return f"models:/{self.name}/{self.version}"


def model_name(target: str, method: str) -> str:
    """The registered model of a target's method."""
    return f"moot-{target}-{method}"


def promote(
    uri: str | None, result: OptimizeResult, program: Path, tracked: str | None
) -> Registered:
    """Register a program and make it the champion.

    ``tracked`` is the id of the run's record, which the registered model belongs to. A run that is
    finished a second time, after being killed while it promoted, finds its version.
    """
    name = model_name(result.target, result.method)
    with _store(uri) as client:
        found = _version_of(client, name, result.run.id)
        if found is None:
            found = _registered(client, name, result, program, tracked)
        before = _champion(client, name)
        if before is not None and before.version == found:
            return Registered(name, found)
        client.set_model_version_tag(name, found, REPLACED, before.version if before else "")
        client.set_registered_model_alias(name, ALIAS, found)
    return Registered(name, found)


def champion_file(uri: str | None, name: str, version: str, folder: Path) -> Path:
    """The program of a registered version: ``version`` is a number or an alias.

    Raises:
        InputError: There is none.
    """
    with _store(uri) as client:
        found = _found(client, name, version)
        if found is None:
            raise InputError(
                f"the registry has no {name} {version!r}",
                remedy="tune one (moot optimize), or give a path: program=FILE",
            )
        import mlflow

        kept = folder / name / str(found.version)
        path: Path = kept / "program.json"
        if not path.exists():
            kept.mkdir(parents=True, exist_ok=True)
            source = client.get_model_version_download_uri(name, found.version)
            place = mlflow.artifacts.download_artifacts(
                artifact_uri=f"{source}/artifacts/program.json",
                dst_path=str(kept),
                tracking_uri=uri,
            )
            Path(place).replace(path)
    return path


def roll_back(uri: str | None, name: str) -> tuple[str, str | None]:
    """Make the champion before the present one the champion again.

    Returns:
        The version that was champion, and the one that is now; None where there was none before.

    Raises:
        InputError: There is no champion.
    """
    with _store(uri) as client:
        now = _champion(client, name)
        if now is None:
            raise InputError(f"{name} has no champion", remedy="see moot champion")
        before = str(now.tags.get(REPLACED) or "")
        if before:
            client.set_registered_model_alias(name, ALIAS, before)
        else:
            client.delete_registered_model_alias(name, ALIAS)
    return str(now.version), before or None


def listed(uri: str | None) -> list[dict[str, Any]]:
    """Every registered program: name, version, whether it is the champion, and its run."""
    rows = []
    with _store(uri) as client:
        for model in client.search_registered_models():
            if not model.name.startswith("moot-"):
                continue
            for version in client.search_model_versions(f"name='{model.name}'"):
                rows.append(
                    {
                        "name": model.name,
                        "version": str(version.version),
                        "champion": str(model.aliases.get(ALIAS)) == str(version.version),
                        **{k.removeprefix("moot."): v for k, v in sorted(version.tags.items())},
                    }
                )
    return sorted(rows, key=lambda row: (row["name"], int(row["version"])))


def _registered(
    client: Any, name: str, result: OptimizeResult, program: Path, tracked: str | None
) -> str:
    import mlflow

    code = Path(__file__).with_name("registered_code.py")
    with mlflow.start_run(run_id=tracked, log_system_metrics=False):
        logged = mlflow.pyfunc.log_model(
            name="program",
            python_model=str(code),
            artifacts={"program": str(program)},
            pip_requirements=PACKAGES,
            registered_model_name=name,
        )
    version = str(logged.registered_model_version)
    tags = {
        "moot.run": result.run.id,
        "moot.digest": result.program_digest,
        "moot.signatures": result.signatures,
        "moot.optimizer": result.optimizer,
        "moot.delta": f"{result.holdout.delta:+.4g} {result.primary}",
    }
    for key, value in tags.items():
        client.set_model_version_tag(name, version, key, value)
    return version


def _version_of(client: Any, name: str, run: str) -> str | None:
    for version in client.search_model_versions(f"name='{name}'"):
        if version.tags.get("moot.run") == run:
            return str(version.version)
    return None


def _champion(client: Any, name: str) -> Any | None:
    return _found(client, name, ALIAS)


def _found(client: Any, name: str, version: str) -> Any | None:
    from mlflow.exceptions import MlflowException

    try:
        if version.isdigit():
            return client.get_model_version(name, version)
        return client.get_model_version_by_alias(name, version)
    except MlflowException as error:
        if error.error_code in {"RESOURCE_DOES_NOT_EXIST", "INVALID_PARAMETER_VALUE"}:
            return None
        raise


@contextmanager
def _store(uri: str | None) -> Iterator[Any]:
    """A client of the tracking store, which is also the registry's."""
    if uri is None:
        raise ConfigError("the registry is MLflow's", got="tracking=none", remedy="tracking=mlflow")
    with warnings.catch_warnings():
        # MLflow's dependencies warn about themselves; nothing a user could act on.
        warnings.simplefilter("ignore")
        os.environ.setdefault("MLFLOW_ENABLE_ARTIFACTS_PROGRESS_BAR", "false")
        import mlflow

        for name in ("mlflow", "alembic"):  # its own levels are set at import
            logging.getLogger(name).setLevel(logging.ERROR)
        kept = mlflow.get_tracking_uri()
        mlflow.set_tracking_uri(uri)
        try:
            yield mlflow.MlflowClient(tracking_uri=uri, registry_uri=uri)
        finally:
            mlflow.set_tracking_uri(kept)


__all__ = ["Registered", "champion_file", "listed", "model_name", "promote", "roll_back"]
