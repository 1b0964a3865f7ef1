"""Each server backend, as its yaml says, over HTTP; only the address is the test server's."""

from __future__ import annotations

import dspy
import pytest

from flows.config import EssayConfig, typed
from modules.lm.ask import Ask
from modules.lm.ledger import Ledger
from signatures.personas import SelectTeam
from tests.servers.debaters import debaters
from tests.servers.lm import LMServer
from tests.support import composed

BACKENDS = ["anthropic", "llamacpp", "ollama", "openai", "vllm"]


@pytest.mark.parametrize("wire", ["chat", "json"])
@pytest.mark.parametrize("name", BACKENDS)
def test_a_backend_answers_as_configured(
    name: str, wire: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("OPENAI_API_KEY", "k")
    monkeypatch.setenv("ANTHROPIC_API_KEY", "k")
    plain = composed("essay", "subject=P", f"backend={name}", f"backend.wire={wire}")
    model = plain["backend"]["model"]
    with LMServer(debaters, models=(model,)) as server:
        plain["backend"]["base_url"] = server.base_url
        lm = typed(EssayConfig, plain).backend.lm("planner", Ledger())
        lm.cache = False
        candidates = [
            {"id": f"p{n}", "title": "T", "description": "d", "claim": "c"} for n in (1, 2, 3)
        ]
        with dspy.context(lm=lm):
            reply = Ask(SelectTeam)(
                proposition="P", goal="refute", team_size=2, candidates=candidates
            )
        assert [c.id for c in reply.choices] == ["p1", "p2"]
        assert server.requests[0].model == model
