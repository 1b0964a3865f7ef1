"""The doctor says what is there, what is not, and what is broken."""

from __future__ import annotations

import importlib.metadata
from pathlib import Path

import pytest

from flows.doctor import examine, report
from tests.support import ROOT


@pytest.fixture
def rows(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> dict[str, dict[str, str]]:
    monkeypatch.setenv("MOOT_ARTIFACTS", str(tmp_path))
    return {row["thing"]: row for row in examine()}


def test_every_configured_backend_is_looked_at(rows: dict[str, dict[str, str]]) -> None:
    for path in (ROOT / "conf" / "backend").glob("*.yaml"):
        assert f"backend {path.stem}" in rows
    assert rows["backend extractive"]["status"] == "ok"
    assert "OPENAI_API_KEY" in rows["backend openai"]["detail"]
    assert "does not answer" in rows["backend vllm"]["detail"]


def test_what_is_absent_is_said_with_its_remedy(rows: dict[str, dict[str, str]]) -> None:
    assert rows["index"]["status"] == "absent"
    assert "moot ingest" in rows["index"]["detail"]
    assert rows["tracking store"]["status"] == "absent"


def test_the_environment_meets_its_pins(rows: dict[str, dict[str, str]]) -> None:
    assert not [row for row in rows.values() if row["status"] == "broken"], report(
        list(rows.values())
    )


def test_a_broken_pin_is_found(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setenv("MOOT_ARTIFACTS", str(tmp_path))
    real = importlib.metadata.version
    monkeypatch.setattr(
        "flows.doctor.version", lambda name: "0.155.0" if name == "fastapi" else real(name)
    )
    found = {row["thing"]: row for row in examine()}
    assert found["pin fastapi"]["status"] == "broken"
    assert "0.155.0" in found["pin fastapi"]["detail"]
