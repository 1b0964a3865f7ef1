"""A subject outside the corpus is refused, one inside it is not: the rule of Background.

Its thresholds were calibrated on these subjects and the starter corpus.
"""

from __future__ import annotations

import json
from collections import defaultdict
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pytest

from modules.essay import RecallSettings
from modules.evidence import Background, NoEvidence, PersonaEvidence, PlanEvidence, Retriever
from modules.retrieval import EvidenceStore, MiniLM, ingest
from modules.retrieval.specs import StoreRetriever
from signatures.errors import EvidenceError
from signatures.types import Passage, Persona, Plan, PlanPoint, Pool
from tests.support import DATA, ROOT

ON_TOPIC = """
No one over the age of 80 should be allowed to serve in government
There should be a maximum age for holding public office
Politicians older than eighty should be required to retire
Elderly politicians should have to step down
Animal testing should be banned
Experiments on animals should be prohibited
We should stop testing medicines and cosmetics on animals
Scientists should be allowed to use laboratory animals
We should allow the use of electronic and internet voting in state-organised elections
Citizens should be able to vote online in national elections
Voting machines should replace paper ballots
Internet voting should be introduced
Employers should adopt a four-day working week
The working week should be cut to four days
Companies should give their staff a three-day weekend
A 4-day work week should become the norm
We should make all museums free of charge
Museums should not charge for entry
Museum admission fees should be abolished
Entry to galleries and museums should be free
The minimum wage should be raised
Governments should increase the minimum wage
Low-paid workers deserve a higher minimum wage
The wage floor should go up
Countries should expand nuclear power
We should build more nuclear reactors
Nuclear energy is needed against climate change
Nuclear plants should be shut down
Students should have to wear school uniforms
School uniforms should be compulsory
Pupils should be free to choose what they wear to school
Schools should abolish the uniform
Children under sixteen should be banned from social media
Social media should have a minimum age of 16
Teenagers should not be allowed on Instagram and TikTok
Social networks should be off limits to children
Humans should colonize space
We should build settlements on Mars
Colonising other planets is a waste of money
Governments should introduce a universal basic income
Every citizen should receive an unconditional basic income
The state should pay everyone a basic income
A guaranteed income for all would end poverty
The sale of vaping products should be banned
E-cigarettes should be prohibited
Vapes should be taken off the market
Flavoured e-cigarettes should be illegal
""".strip().splitlines()

OFF_TOPIC = """
The death penalty should be abolished
Gun ownership should be restricted
Judges should be elected
Zoos should be banned
University tuition should be free
Boxing should be banned
Wind farms should be subsidised
Abortion should be legal
Marijuana should be legalised
Prostitution should be legal
Euthanasia should be allowed
Same-sex marriage should be legal
The monarchy should be abolished
Britain should rejoin the European Union
Plastic bags should be banned
Organ donation should be mandatory
Fracking should be banned
Hate speech should be protected
Parents should be allowed to smack their children
Homework should be abolished
Cars should be banned from city centres
Sugary drinks should be taxed
Vaccination should be compulsory
Prisoners should have the right to vote
Churches should pay taxes
The drinking age should be lowered
Golf is a sport
Genetically modified crops should be grown
Bullfighting is cruel
Foreign aid should be increased
The internet should be censored
Rent control helps tenants
Military service should be compulsory
Immigration should be limited
Surrogacy should be legal
Gambling should be prohibited
Performance-enhancing drugs should be allowed in sport
Circuses should not use elephants
Torture is sometimes justified
Inheritance should be taxed more heavily
Public transport should be free
People should become vegetarian
The United Nations should have a standing army
Fast fashion should be banned
Wolves should be reintroduced
Drones should be used against terrorists
Ronald Reagan was a good president
Single-sex schools are better
Standardised tests improve education
Creationism should be taught in schools
Body cameras should be worn by police officers
Artificial intelligence should be regulated
Child beauty pageants should be banned
The rich should pay higher taxes
Corporal punishment should be reintroduced
Handwriting should no longer be taught
Paying for sex should be a crime
Beards are better than moustaches
Tomatoes are fruit
Fireworks should be banned
Whaling should be allowed
High-speed rail is worth the money
Daylight saving time should be abolished
Cash should be abolished
Billboards should be banned
Fox hunting should be banned
Social security should be privatised
Cousins should not marry
Cyclists should wear helmets
Mobile phones should be banned in schools
The gender pay gap is a myth
Juries should be abolished
Private schools should be abolished
Beach access should be public
Offshore drilling should be stopped
Advertising to children should be banned
Parents should be able to ban books from schools
The legal age should be lowered to 16
School vouchers should be encouraged
Patents on life-saving drugs should be bypassed
Persistent bullies should be expelled
Lack of parental guidance makes children violent
Recreational drugs do more good than harm
Civil disobedience can be justified
""".strip().splitlines()

# Refused too, though the corpus touches on them: what would be needed is not in it.
NEIGHBOURS = """
Libraries should be free
The voting age should be lowered to sixteen
Historical artefacts in museums should be returned
Theatres should be free
Space tourism should be banned
Retirement age should be raised
The voting age should be lowered to 16
Solar power should be subsidised
""".strip().splitlines()

# Taken: the vaping texts argue from smoking at length, the age-limit ones from term limits, the
# uniform ones from teachers' clothes; an essay on these finds evidence.
RELATED = """
Smoking in public should be banned
There should be term limits for politicians
Teachers should wear uniforms
""".strip().splitlines()

CLAIMS = DATA / "perspectrum" / "evidence_corpus_debatewise_procon.jsonl"


class Fixed:
    """A retriever that finds the same passages for every query."""

    def __init__(self, *passages: Passage) -> None:
        self.passages = list(passages)

    def search(self, queries: Sequence[str], k: int) -> list[list[Passage]]:
        return [self.passages[:k] for _ in queries]

    def identity(self) -> dict[str, Any]:
        return {}


def passage(text: str, similarity: float | None) -> Passage:
    return Passage(id=text[:20], text=text, source="s", title="", similarity=similarity)


def background(retriever: Retriever) -> Background:
    s = RecallSettings()
    return Background(
        retriever,
        k=s.background,
        min_similarity=s.min_similarity,
        sure_similarity=s.sure_similarity,
        min_coverage=s.min_coverage,
    )


@pytest.fixture(scope="module")
def starter(tmp_path_factory: pytest.TempPathFactory) -> Background:
    """The stage over the whole starter corpus."""
    store = EvidenceStore(tmp_path_factory.mktemp("starter") / "index", MiniLM())
    ingest([ROOT / "data" / "corpus"], store)
    return background(StoreRetriever(store, "hybrid"))


@pytest.mark.slow
@pytest.mark.parametrize("subject", [*ON_TOPIC, *RELATED])
def test_a_subject_of_the_corpus_is_taken(starter: Background, subject: str) -> None:
    assert len(starter(subject=subject)) >= 10


@pytest.mark.slow
@pytest.mark.parametrize("subject", [*OFF_TOPIC, *NEIGHBOURS])
def test_a_subject_outside_the_corpus_is_refused(starter: Background, subject: str) -> None:
    with pytest.raises(EvidenceError, match="the corpus holds no evidence on"):
        starter(subject=subject)


@pytest.mark.slow
@pytest.mark.data
@pytest.mark.skipif(not CLAIMS.exists(), reason=f"{CLAIMS} is not there")
def test_real_claims_over_their_own_texts_are_taken(tmp_path: Path) -> None:
    texts: defaultdict[str, list[dict[str, str]]] = defaultdict(list)
    for line in CLAIMS.read_text().splitlines():
        row = json.loads(line)
        unlabelled = {"id": row["doc_id"], "title": row["perspective"], "text": row["text"]}
        texts[row["claim"]].append(unlabelled)
    claims = sorted(claim for claim, rows in texts.items() if len(rows) >= 12)[::4]
    # Those whose texts are least close to them.
    claims += ["Bill Clinton was a good president", "Ronald Reagan was a good president"]
    embedder = MiniLM()
    for number, claim in enumerate(claims):
        file = tmp_path / f"{number}.jsonl"
        file.write_text("\n".join(map(json.dumps, texts[claim])))
        store = EvidenceStore(tmp_path / f"index{number}", embedder)
        ingest([file], store)
        assert background(StoreRetriever(store, "hybrid"))(subject=claim), claim
    assert len(claims) >= 25


def test_the_refusal_names_the_missing_words() -> None:
    animals = [passage(f"The testing on animals was banned in {n} labs.", 0.5) for n in range(6)]
    with pytest.raises(EvidenceError, match="nothing found on 'zoos'"):
        background(Fixed(*animals))(subject="Zoos should be banned")


def test_close_passages_need_not_hold_the_words() -> None:
    animals = [passage(f"The testing on animals was banned in {n} labs.", 0.65) for n in range(6)]
    assert background(Fixed(*animals))(subject="Vivisection should be banned") == animals


def test_one_close_passage_is_not_enough() -> None:
    texts = [passage("Zoos are in the town.", 0.6), *[passage(f"Of {n}.", 0.3) for n in range(6)]]
    with pytest.raises(EvidenceError, match=r"got 0\.36"):
        background(Fixed(*texts))(subject="Zoos should be banned")


@pytest.mark.parametrize(
    ("subject", "text"),
    [
        ("Tierversuche gehören verboten", "Versuche mit Tieren quälen und nutzen keinem Kranken."),
        ("Les zoos devraient être interdits", "The keeping of the animals is a matter of law."),
        ("動物園は廃止すべきだ", "動物を檻に閉じ込めるのは残酷である。"),
        ("Зоопарки следует запретить", "Животные страдают в неволе, и это жестоко."),
    ],
)
def test_other_languages_are_judged_by_the_cosine_alone(subject: str, text: str) -> None:
    assert background(Fixed(passage(text, 0.5)))(subject=subject)
    with pytest.raises(EvidenceError):
        background(Fixed(passage(text, 0.3)))(subject=subject)


def test_without_evidence_on_purpose_nothing_is_refused() -> None:
    assert background(NoEvidence())(subject="Zoos should be banned") == []


def test_irrelevant_passages_are_dropped_everywhere() -> None:
    near, far, unranked = passage("near", 0.7), passage("far", 0.1), passage("unranked", None)
    shelf = Fixed(near, far, unranked)
    kept = [near, unranked]
    lenient = Background(shelf, k=9, min_similarity=0, sure_similarity=0)
    assert lenient(subject="P") == kept
    persona = Persona(id="p", title="t", description="d", claim="c", emoji="🙂", stance="for")
    assert PersonaEvidence(shelf, k=9)(pool=Pool(personas=[persona]), subject="x") == {"p": kept}
    plan = Plan(points=[PlanPoint(point="A", subpoints=["b"])])
    assert [
        part.passages for part in PlanEvidence(shelf, k=9)(plan=plan, subject="x", goal="refute")
    ] == [kept]
