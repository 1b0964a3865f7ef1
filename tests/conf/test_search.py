"""Search providers compose with retriever=web in every flow that retrieves."""

from __future__ import annotations

from pathlib import Path

import pytest
import yaml

from flows.arguments import keys
from flows.config import EssayConfig, typed
from flows.configs import CONFIGS
from flows.main import _unknown_key
from modules.retrieval.web.retriever import WebSpec
from tests.support import ROOT, composed

SEARCHES = sorted((ROOT / "conf" / "search").glob("*.yaml"))


def retrieving() -> list[str]:
    texts = {flow: (ROOT / "conf" / f"{flow}.yaml").read_text("utf-8") for flow in CONFIGS}
    return sorted(flow for flow, text in texts.items() if "- retriever:" in text)


@pytest.mark.parametrize("path", SEARCHES, ids=lambda path: path.stem)
@pytest.mark.parametrize("flow", retrieving())
def test_a_provider_composes(flow: str, path: Path) -> None:
    subject = ["subject=Museums should be free"] if "subject" in keys(flow) else []
    config = typed(
        CONFIGS[flow],
        composed(
            flow, *subject, "retriever=web", f"search={path.stem}", "search.timeout_s=7",
            "retriever.fetch.allow_private=true", "retriever.trust.allow=[]",
        ),
    )  # fmt: skip
    spec = config.retriever  # type: ignore[attr-defined] # flows that retrieve have one
    assert isinstance(spec, WebSpec)
    assert (spec.search.name, spec.search.timeout_s) == (path.stem, 7)
    assert (spec.fetch.allow_private, spec.trust.allow) == (True, ())


@pytest.mark.parametrize("path", SEARCHES, ids=lambda path: path.stem)
def test_a_provider_s_yaml_lists_every_option_it_has(path: Path) -> None:
    from hydra.utils import get_object

    node = yaml.safe_load(path.read_text("utf-8"))
    fields = set(get_object(node.pop("_target_")).model_fields)
    assert set(node) == fields


def test_the_default_is_safe_and_the_paper_s() -> None:
    spec = typed(EssayConfig, composed("essay", "subject=x y", "retriever=web")).retriever
    assert isinstance(spec, WebSpec)
    assert not spec.fetch.allow_private
    assert spec.trust.allow == ("gov", "edu", "org", "pro", "info")


def test_a_provider_without_the_web_says_what_it_goes_with() -> None:
    assert "retriever=web" in _unknown_key("essay", "search").line()
