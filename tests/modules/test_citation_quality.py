"""The citation check on pairs of sentence and passage that its rules had no part in."""

from __future__ import annotations

import numpy as np
import pytest

from bench import wording
from bench.claims import SUPPORTED, UNSUPPORTED, pairs
from bench.stance import half_of
from modules.citations import SupportCheck
from modules.essay import CitationSettings
from modules.retrieval import MiniLM
from tests.support import DATA


@pytest.mark.data
@pytest.mark.skipif(not (DATA / "argkp").is_dir(), reason=f"{DATA} is not here")
def test_what_is_not_borne_out_is_found_on_topics_not_fitted_to() -> None:
    found = pairs(DATA, lambda topic: half_of(topic) == "test", 8, seed=1)
    assert {pair.kind for pair in found} == {*SUPPORTED, *UNSUPPORTED}
    usual = CitationSettings()
    check = SupportCheck(MiniLM(), supported=usual.supported, weak=usual.weak)
    verdicts = [s.verdict for s in check([(pair.sentence, pair.passage) for pair in found])]
    caught = {
        kind: float(
            np.mean(
                [
                    v == "unsupported"
                    for v, pair in zip(verdicts, found, strict=True)
                    if pair.kind == kind
                ]
            )
        )
        for kind in (*SUPPORTED, *UNSUPPORTED)
    }
    recall = np.mean([caught[kind] for kind in UNSUPPORTED])
    alarms = np.mean([caught[kind] for kind in SUPPORTED])
    assert recall > 0.65
    assert recall / (recall + alarms) > 0.8
    for kind in ("other topic", "negated", "number", "name"):
        assert caught[kind] > 0.6


def test_changes_change_and_paraphrases_keep() -> None:
    import random

    rng = random.Random(0)
    fact = "In 2015, some museums in York could not pay 1,200 guards, because fees fell."
    assert "1,200" not in (wording.renumbered(fact, rng) or "1,200")
    assert "York" not in (wording.renamed(fact, ["Leeds", "York"], rng) or "York")
    assert " not " not in (wording.negated(fact, rng) or " not ")
    assert wording.strengthened("Some fees may fall.", rng) in (
        "All fees may fall.", "Some fees will fall.",
    )  # fmt: skip
    assert wording.swapped("Fees reduce crowds.") == "Crowds reduce Fees."
    assert wording.reworded("Fees fall.", rng) is None
