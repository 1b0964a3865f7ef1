"""The citation check: what it sees, what it embeds, who decides, what is rewritten."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import dspy
import numpy as np
import pytest

from modules.citations import CitationCheck, SupportCheck
from modules.citations.cues import missing, names, numbers
from modules.citations.features import Features, compare, copied, nearest
from modules.citations.support import SupportModel, fitted
from modules.lm.extractive import answer
from modules.retrieval import MiniLM
from modules.text import sentences
from signatures.types import Draft, Essay, Passage
from tests.modules.fake import fake_lm

POOLS = (
    "Public pools lost 40 lifeguards in Leeds in 2015. Some swimmers may leave when fees rise. "
    "Lower fees do not reduce the cost of heating. Heating costs are higher than wages."
)


class Counting:
    """The default embedder, counting what it is asked."""

    def __init__(self) -> None:
        self.inner = MiniLM()
        self.asked: list[str] = []
        self.name = self.inner.name

    def encode(self, texts: Sequence[str]) -> np.ndarray:
        self.asked += texts
        return self.inner.encode(texts)


@pytest.fixture(scope="module")
def embedder() -> Counting:
    return Counting()


def features(embedder: Counting, sentence: str) -> Features:
    parts = sentences(POOLS)
    texts = [sentence, *parts]
    rows = dict(zip(texts, embedder.encode(texts), strict=True))
    return compare(sentence, POOLS, parts, rows).features


@pytest.mark.parametrize(
    ("sentence", "feature"),
    [
        ("Public pools lost 90 lifeguards in Leeds in 2015.", "strange_numbers"),
        ("Public pools lost 40 lifeguards in Bath in 2015.", "strange_names"),
        ("Lower fees do reduce the cost of heating.", "denied"),
        ("Some swimmers may not leave when fees rise.", "negations"),
        ("Some swimmers may leave when fees fall.", "opposed"),
        ("All swimmers will leave when fees rise.", "absolute"),
        ("A massive exodus of swimmers may follow when fees rise.", "extreme"),
        ("Swimmers leave when fees rise.", "unhedged"),
        ("Wages are higher than heating costs.", "turned"),
        ("Some swimmers may leave and lions may roar in distant deserts.", "inserted"),
    ],
)
def test_a_change_of_meaning_is_seen(embedder: Counting, sentence: str, feature: str) -> None:
    faithful = [features(embedder, s) for s in sentences(POOLS)]
    assert all(getattr(f, feature) == 0 for f in faithful)
    assert getattr(features(embedder, sentence), feature) > 0


@pytest.mark.parametrize(
    "sentence",
    [
        "Public pools lost 40 lifeguards in Leeds in 2015.",
        "When fees rise, some swimmers may leave.",
        "In Leeds, public pools lost forty lifeguards in 2015.",
    ],
)
def test_a_paraphrase_changes_nothing_it_may_not(embedder: Counting, sentence: str) -> None:
    found = features(embedder, sentence)
    changes = ("strange_numbers", "strange_names", "denied", "opposed", "absolute", "turned")
    assert [getattr(found, name) for name in changes] == [0] * len(changes)


def test_numbers_and_names_have_one_spelling() -> None:
    assert numbers("1,000 of 2.50 and forty.") == {"1000", "2.5", "40"}
    assert names("In Leeds the Court met. Then we left Leeds’s halls.") == {"leeds", "court"}
    assert missing("Twelve met in Bath in 1999.", "In 1999, 12 men met in York.") == (0, 1)


@pytest.mark.parametrize(
    ("sentence", "verdict"),
    [
        ("Supporters add that some swimmers may leave when fees rise.", "supported"),
        ("Some swimmers may leave when fees rise.", "supported"),
        ("It must also be borne in mind that some swimmers may leave.", "supported"),
        ("It is no less important that lower fees do not reduce the cost.", "supported"),
        ("Staff at the water are content with what they earn in summer.", "weak"),
        ("Wages are higher than heating costs.", "unsupported"),
        ("It is false that some swimmers may leave when fees rise.", "weak"),
        ("Nobody says that some swimmers may leave when fees rise.", "unsupported"),
        ("All swimmers will leave when fees rise.", "unsupported"),
        ("Lower fees reduce the cost of heating.", "unsupported"),
        ("Public pools lost 900 lifeguards in Leeds in 2015.", "unsupported"),
        ("Whales migrate across the Pacific every winter.", "unsupported"),
    ],
)
def test_verdicts(embedder: Counting, sentence: str, verdict: str) -> None:
    check = SupportCheck(embedder, supported=0.65, weak=0.37)
    assert check([(sentence, POOLS)])[0].verdict == verdict


def test_preparing_moves_the_work_and_changes_no_verdict(embedder: Counting) -> None:
    asked = [
        ("When charges go up, certain bathers might stay away.", POOLS),
        ("Keeping the water warm takes more money than paying staff.", POOLS),
        ("Some swimmers may leave when fees rise.", POOLS),
    ]
    plain, ahead = (SupportCheck(embedder, supported=0.65, weak=0.37) for _ in range(2))
    ahead.prepare([POOLS])
    embedder.asked.clear()
    found = ahead(asked)
    assert sorted(embedder.asked) == sorted(sentence for sentence, _ in asked[:2])
    assert found == plain(asked)
    embedder.asked.clear()
    assert plain(asked) == found
    assert embedder.asked == []


def test_what_is_copied_is_not_embedded(embedder: Counting) -> None:
    check = SupportCheck(embedder, supported=0.65, weak=0.37)
    embedder.asked.clear()
    [found] = check([("Moreover, some swimmers may leave when fees rise.", POOLS)])
    assert (found.verdict, found.quote) == ("supported", sentences(POOLS)[1])
    assert embedder.asked == []


def test_only_the_nearest_sentences_are_compared() -> None:
    assert nearest("Heating costs and wages", [*"abcde", "Heating wages", "costs"]) == [0, 5, 6]
    assert copied("Nothing of this kind", POOLS, sentences(POOLS)) is None


def test_a_model_for_other_features_is_refused() -> None:
    with pytest.raises(ValueError, match="other features"):
        SupportModel({"features": ["cosine"]})


def test_the_fitted_model_knows_its_features() -> None:
    row = Features(*[0.0] * len(Features._fields))
    copy = row._replace(covered=1, covered_passage=1, worst_clause=1, ordered=1, run=1, short=0.1)
    [low, high] = fitted().probability(
        [row._replace(cosine=0.1, short=0.2), copy._replace(cosine=0.95)]
    )
    assert 0 <= low < 0.5 < high <= 1


# --- judge and repair ---------------------------------------------------------------------------

PASSAGES = [
    Passage(id="c1", text=POOLS, source="pools.md", title="Pools"),
    Passage(id="c2", text="Libraries lend books to every child.", source="l.md", title="Books"),
]
TEXT = "Some swimmers may leave when fees rise [1]. Fees fund\nmoon flights [2]. So it goes."


def checked(
    embedder: Counting, answers: Callable[[str, Any], dict[str, Any]], text: str = TEXT, **how: Any
) -> tuple[Essay, list[Any]]:
    lm = fake_lm(answers)
    check = CitationCheck(embedder, supported=0.65, weak=0.37, **how)
    with dspy.context(lm=lm):
        essay = check(subject="Pools", draft=Draft(text=text, passages=PASSAGES))
    return essay, lm.engine.asked


def judgement(number: int, verdict: str | None, quote: str = "") -> dict[str, Any]:
    return {"number": number, "verdict": verdict, "quote": quote}


def test_the_judge_decides_and_its_quote_must_be_there(embedder: Counting) -> None:
    said = [judgement(1, "weak", "swimmers may  leave"), judgement(2, "supported", "made up")]
    essay, asked = checked(embedder, lambda s, i: {"judgements": said}, by="judge")
    assert [c.verdict for c in essay.citations] == ["weak", "supported"]
    assert essay.citations[0].quote == "swimmers may leave"
    assert essay.citations[1].quote in PASSAGES[1].text
    assert essay.notes == []
    assert [name for name, _ in asked] == ["JudgeCitations"]
    assert asked[0][1]["citations"][1]["passage"] == PASSAGES[1].text


def test_where_the_judge_abstains_the_built_in_check_decides(embedder: Counting) -> None:
    said = [judgement(1, None), judgement(2, "weak")]
    essay, _ = checked(embedder, lambda s, i: {"judgements": said}, by="judge")
    assert [c.verdict for c in essay.citations] == ["supported", "weak"]
    assert essay.notes == ["the judge left 1 of 2 citations to the built-in check"]
    silent, _ = checked(embedder, lambda s, i: answer(s, i, 0), by="judge")
    plain, asked = checked(embedder, lambda s, i: answer(s, i, 0))
    assert silent.notes == ["the judge left 2 of 2 citations to the built-in check"]
    assert (silent.citations, asked) == (plain.citations, [])


def test_the_judge_is_asked_ten_at_a_time_and_again_when_it_miscounts(embedder: Counting) -> None:
    def judge(signature: str, inputs: Any) -> dict[str, Any]:
        count = len(inputs["citations"])
        sizes.append(count)
        said = [judgement(n, "weak") for n in range(1, count + 1)]
        return {"judgements": said if len(sizes) > 1 else [judgement(99, "weak")]}

    sizes: list[int] = []
    text = " ".join(f"Statement {n} stands here [1]." for n in range(12))
    essay, _ = checked(embedder, judge, text, by="judge")
    assert sizes == [10, 10, 2]
    assert {c.verdict for c in essay.citations} == {"weak"}


def repaired(text: str) -> Callable[[str, Any], dict[str, Any]]:
    return lambda signature, inputs: {"repaired": [{"number": 1, "text": text}]}


def test_an_unsupported_sentence_is_rewritten_and_nothing_else(embedder: Counting) -> None:
    essay, asked = checked(
        embedder, repaired("Libraries lend books to every child [2]."), repair=True
    )
    assert essay.text == (
        "Some swimmers may leave when fees rise [1]. Libraries lend books to every child [2]. "
        "So it goes."
    )
    assert [c.verdict for c in essay.citations] == ["supported", "supported"]
    assert essay.notes == ["1 of 1 unsupported sentences were rewritten"]
    [(name, inputs)] = asked
    assert name == "RepairCitations"
    assert inputs["sentences"][0]["sentence"] == "Fees fund moon flights [2]."
    assert inputs["sentences"][0]["before"] == "Some swimmers may leave when fees rise."
    assert [p["number"] for p in inputs["sentences"][0]["passages"]] == [2]


@pytest.mark.parametrize(
    "text",
    ["Fees fund Mars flights [2].", "Some swimmers may leave when fees rise [1].", "[2]"],
    ids=["still unsupported", "cites another passage", "no words"],
)
def test_a_rewrite_that_does_not_hold_is_not_taken(embedder: Counting, text: str) -> None:
    essay, _ = checked(embedder, repaired(text), repair=True)
    assert essay.text == TEXT
    assert essay.notes == ["0 of 1 unsupported sentences were rewritten"]


def test_a_rewrite_may_give_up_the_citation(embedder: Counting) -> None:
    text = "Fees fund\nmoon flights [2]. Some swimmers may leave when fees rise [1]."
    essay, _ = checked(embedder, repaired("Fees pay for much."), text, repair=True)
    assert essay.text == "Fees pay for much. Some swimmers may leave when fees rise [1]."
    assert [c.chunk_id for c in essay.citations] == ["c1"]


def test_nothing_is_asked_where_nothing_is_unsupported(embedder: Counting) -> None:
    text = "Some swimmers may leave when fees rise [1]."
    essay, asked = checked(embedder, repaired("x"), text, repair=True)
    assert (essay.notes, asked) == ([], [])


def test_the_extractive_engine_repairs_from_the_passage_or_drops_the_marker(
    embedder: Counting,
) -> None:
    text = "All public pools lost every lifeguard in 1850 [1]. Fees fund moon flights [2]."
    essay, _ = checked(embedder, lambda s, i: answer(s, i, 0), text, repair=True)
    assert essay.text == (
        "Public pools lost 40 lifeguards in Leeds in 2015 [1]. Fees fund moon flights."
    )
    assert [c.verdict for c in essay.citations] == ["supported"]
