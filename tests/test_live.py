"""A real model, on request: MOOT_LIVE=1 and OPENAI_API_KEY (MOOT_LIVE_MODEL, MOOT_LIVE_URL)."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

pytestmark = [
    pytest.mark.live,
    pytest.mark.skipif(os.environ.get("MOOT_LIVE") != "1", reason="needs MOOT_LIVE=1 and a key"),
]

KEY = os.environ.get("OPENAI_API_KEY", "")


def test_an_essay_from_a_real_model(corpus: Path, prefect_server: None) -> None:
    from flows.essay import essay
    from tests.support import composed

    os.environ["OPENAI_API_KEY"] = KEY  # the fixtures took it away
    model = os.environ.get("MOOT_LIVE_MODEL", "gpt-4o-mini")
    url = os.environ.get("MOOT_LIVE_URL", "https://api.openai.com/v1")
    subject = "subject=We should make all museums free of charge"
    plain = composed(
        "essay", subject, "backend=openai", f"backend.model={model}", f"backend.base_url={url}",
        "budget.calls=40", f"paths.artifacts={corpus}",
    )  # fmt: skip
    result = essay(plain)
    assert len(result["personas"]) >= 5
    assert result["citation_figures"]["precision"] > 0
