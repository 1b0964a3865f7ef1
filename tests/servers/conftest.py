"""A running server and its client."""

from __future__ import annotations

import threading
from collections.abc import Iterator

import openai
import pytest

from .clients import MODELS, client_of
from .lm import LMServer


@pytest.fixture(autouse=True)
def _offline(monkeypatch: pytest.MonkeyPatch) -> None:
    """Keep DSPy from refreshing its table of models over the network."""
    monkeypatch.setenv("LITELLM_LOCAL_MODEL_COST_MAP", "true")


@pytest.fixture
def server() -> Iterator[LMServer]:
    before = set(threading.enumerate())
    with LMServer(models=MODELS, api_key="secret") as running:
        yield running
    assert running.errors == []
    left = [t.name for t in threading.enumerate() if t not in before and "lm-server" in t.name]
    assert left == []


@pytest.fixture
def client(server: LMServer) -> Iterator[openai.OpenAI]:
    with client_of(server) as made:
        yield made
