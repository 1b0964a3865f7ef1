"""Process environment, set before any heavy import: everything under artifacts, nobody phoned."""

from __future__ import annotations

import os
import shutil
from pathlib import Path

CHECKOUT = Path(__file__).resolve().parent.parent


def artifacts() -> Path:
    """The folder everything is produced in, before any configuration is read."""
    return Path(os.environ.get("MOOT_ARTIFACTS", CHECKOUT / "artifacts")).absolute()


def prepare(root: Path) -> None:
    """Point every library's state at ``root`` unless the user's environment says otherwise.

    Raises:
        OSError: ``root`` cannot be created.
    """
    cache = root / "cache"
    for folder in (root, cache, root / "prefect"):
        folder.mkdir(parents=True, exist_ok=True)
    defaults = {
        "DO_NOT_TRACK": "1",
        "DSPY_CACHEDIR": str(cache / "dspy"),
        "HF_HOME": str(cache / "huggingface"),
        "HF_HUB_DISABLE_TELEMETRY": "1",
        "LITELLM_LOCAL_MODEL_COST_MAP": "True",
        "MLFLOW_DISABLE_TELEMETRY": "true",
        "MLFLOW_LOGGING_LEVEL": "WARNING",
        "MLFLOW_HTTP_REQUEST_MAX_RETRIES": "2",
        "MLFLOW_HTTP_REQUEST_TIMEOUT": "10",
        "MPLCONFIGDIR": str(cache / "matplotlib"),
        # Waiting threads that spin steal the core that another thread needs.
        "OMP_WAIT_POLICY": "PASSIVE",
        "PREFECT_HOME": str(root / "prefect"),
        "PREFECT_LOGGING_LEVEL": "CRITICAL",
        "PREFECT_LOGGING_TO_API_ENABLED": "false",
        "PREFECT_RESULTS_LOCAL_STORAGE_PATH": str(cache / "stages"),
        "PREFECT_SERVER_ANALYTICS_ENABLED": "false",
        "SCARF_NO_ANALYTICS": "true",
        "TOKENIZERS_PARALLELISM": "false",
        "XDG_CACHE_HOME": str(cache),
    }
    for name, value in defaults.items():
        os.environ.setdefault(name, value)


def free_megabytes(folder: Path) -> int:
    """Free space on the disk that holds ``folder``."""
    return shutil.disk_usage(folder).free // 1_000_000
