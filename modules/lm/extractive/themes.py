"""Themes of public argument: what a sentence is about, in words that fit any topic."""

from __future__ import annotations

from typing import Final, NamedTuple

from modules.lm.extractive.words import stem


class Theme(NamedTuple):
    """A recurring theme. ``phrase`` completes "the question of ..."; ``titles`` name who cares."""

    name: str
    phrase: str
    value: str
    emoji: str
    titles: tuple[str, ...]
    words: str


THEMES: Final[tuple[Theme, ...]] = (
    Theme("cost", "cost", "prudence", "💰",
          ("Public finance analyst", "Budget officer", "Taxpayers' advocate"),
          "cost costs costly expensive expense spend spending budget budgets money fund funds "
          "funding pay paid price prices tax taxes taxpayer taxpayers afford subsidy subsidies "
          "debt revenue billion million fee fees"),
    Theme("economy", "economic effect", "economy", "📈",
          ("Economic policy adviser", "Small business owner", "Labour economist"),
          "economy economic growth trade market markets business businesses industry company "
          "companies profit profits investment competition productivity inflation consumers"),
    Theme("work", "work", "work", "🛠️",
          ("Trade union organiser", "Employment adviser"),
          "work worker workers job jobs employment unemployment employer employers wage wages "
          "labour labor career careers staff salary salaries"),
    Theme("fairness", "fairness", "fairness", "⚖️",
          ("Equality campaigner", "Social justice advocate"),
          "fair unfair fairness equal equality unequal inequality justice injustice discriminate "
          "discrimination discriminatory poor poorest rich richest poverty disadvantaged minority "
          "minorities income privilege"),
    Theme("access", "access", "access", "🚪",
          ("Community outreach worker", "Accessibility campaigner"),
          "access accessible open inclusion include excluded exclude barrier barriers visit "
          "visitor visitors availability available reach disabled disability participate "
          "participation"),
    Theme("safety", "safety", "safety", "🦺",
          ("Public safety officer", "Risk assessor"),
          "safe safety danger dangerous risk risks risky accident accidents protect protection "
          "hazard harm harmful secure security threat threats attack attacks"),
    Theme("crime", "crime", "order", "🚓",
          ("Retired police officer", "Criminal justice adviser"),
          "crime crimes criminal criminals police prison prisons punish punishment violence "
          "violent gang gangs terror terrorism terrorist gun guns offender offenders deter "
          "deterrent illegal murder"),
    Theme("freedom", "personal freedom", "freedom", "🕊️",
          ("Civil liberties advocate", "Personal freedom campaigner"),
          "free freedom freedoms liberty liberties choice choose rights right consent autonomy "
          "compulsory forced force coercion ban banned prohibit"),
    Theme("trust", "public trust", "trust", "🤝",
          ("Transparency campaigner", "Public ethics adviser"),
          "trust trusted confidence transparent transparency accountable accountability corrupt "
          "corruption honest fraud bribe bribery verify audit audits secret credibility"),
    Theme("democracy", "democracy", "democracy", "🗳️",
          ("Democracy campaigner", "Constitutional scholar"),
          "democracy democratic vote votes voter voters voting election elections elected "
          "parliament ballot ballots citizen citizens representative representation candidate "
          "candidates referendum"),
    Theme("law", "law", "rule of law", "📜",
          ("Legal adviser", "Human rights lawyer"),
          "law laws legal court courts judge judges constitution constitutional amendment "
          "legislation lawyer treaty regulation regulations regulate enforce enforcement"),
    Theme("health", "health", "health", "🩺",
          ("Public health adviser", "Family doctor"),
          "health healthy unhealthy disease diseases medical medicine medicines doctor doctors "
          "patient patients hospital hospitals illness cancer drug drugs treatment vaccine "
          "vaccines mental obesity diet"),
    Theme("learning", "education", "knowledge", "🎓",
          ("Education adviser", "Secondary school teacher", "University lecturer"),
          "education educational school schools student students teacher teachers learn learning "
          "teach teaching university universities college knowledge classroom curriculum test "
          "tests grades textbook textbooks"),
    Theme("science", "research", "evidence", "🔬",
          ("Research scientist", "Science policy adviser"),
          "science scientific scientist scientists research researchers experiment experiments "
          "laboratory laboratories method methods data evidence study studies discovery"),
    Theme("animals", "animal welfare", "animal welfare", "🐾",
          ("Animal welfare officer", "Veterinary surgeon"),
          "animal animals species cruelty cruel livestock dog dogs pet pets wildlife vet"),
    Theme("environment", "the environment", "stewardship", "🌍",
          ("Environmental campaigner", "Conservation officer"),
          "environment environmental climate pollution emission emissions carbon warming nature "
          "natural forest forests energy fuel fossil waste recycle water planet sustainable"),
    Theme("culture", "cultural heritage", "tradition", "🏛️",
          ("Cultural historian", "Heritage officer"),
          "culture cultural heritage tradition traditional traditions history historical museum "
          "museums art arts artist artists collection collections language identity artefact "
          "artefacts"),
    Theme("faith", "religious life", "faith", "🛐",
          ("Faith community representative", "Scholar of religion"),
          "religion religious church churches faith god christian muslim islam bible moral "
          "morality sacred belief beliefs mosque"),
    Theme("family", "family life", "family", "👪",
          ("Family counsellor", "Parents' representative"),
          "family families parent parents child children mother mothers father fathers marriage "
          "married home household households baby babies parental"),
    Theme("youth", "young people's prospects", "opportunity", "🧑",
          ("Youth worker", "Student representative"),
          "young youth teenager teenagers adolescents adolescent age minors generation "
          "generations juvenile"),
    Theme("age", "age", "experience", "🧓",
          ("Retired public servant", "Advocate for older people"),
          "old older elderly retirement retired pension pensions pensioners ageing seniors "
          "experience experienced cognitive term terms"),
    Theme("technology", "technology", "progress", "💻",
          ("Computer security specialist", "Technology adviser"),
          "technology technologies computer computers digital internet online software machine "
          "machines electronic phone phones device devices web network networks hacker hackers"),
    Theme("privacy", "privacy", "privacy", "🔒",
          ("Privacy advocate", "Data protection officer"),
          "privacy private personal surveillance monitor tracking identity anonymous anonymity "
          "spy"),
    Theme("media", "public information", "truth", "📰",
          ("Media analyst", "Local newspaper editor"),
          "media news newspaper newspapers press television film films video videos music "
          "advertising advertise advertisements journalist journalists game games"),
    Theme("nation", "national security", "security", "🛡️",
          ("Former army officer", "Foreign policy analyst"),
          "military army soldiers soldier war wars weapon weapons nuclear troops defense defence "
          "ally allies enemy drone drones border borders"),
    Theme("world", "relations between countries", "cooperation", "🌐",
          ("Foreign affairs analyst", "Development worker"),
          "international foreign global countries nations united immigration immigrants migrants "
          "refugees aid europe european sanctions embargo sovereignty"),
    Theme("welfare", "social support", "solidarity", "🫶",
          ("Social worker", "Welfare rights adviser"),
          "welfare benefit benefits poverty homeless hunger food need needy charity charities "
          "support suffering suffer care vulnerable basic unconditional"),
    Theme("sport", "sport", "fair play", "🏅",
          ("Sports coach", "Sports commentator"),
          "sport sports team teams player players game athlete athletes olympic olympics football "
          "golf match matches league coach"),
    Theme("transport", "transport", "mobility", "🚌",
          ("Transport planner", "Daily commuter"),
          "transport car cars traffic road roads train trains bus buses driver drivers driving "
          "passengers rail flights"),
    Theme("practice", "practicality", "practicality", "🧰",
          ("Public service manager", "Policy analyst"),
          "practical practice impractical enforce efficient inefficient efficiency bureaucracy "
          "bureaucratic administration administrative simple complicated complex workable "
          "implement queue queues crowding crowd"),
    Theme("dignity", "human dignity", "dignity", "🌱",
          ("Community volunteer", "Human rights campaigner"),
          "dignity respect humane stigma shame life lives human humanity pain death die killing "
          "abortion euthanasia"),
)  # fmt: skip

_BY_STEM: Final[dict[str, tuple[int, ...]]] = {}
for _index, _theme in enumerate(THEMES):
    for _word in _theme.words.split():
        _key = stem(_word)
        _BY_STEM[_key] = (*(i for i in _BY_STEM.get(_key, ()) if i != _index), _index)


def ranked(
    words: frozenset[str], but_for: frozenset[str] = frozenset(), least: float = 0.0
) -> list[Theme]:
    """Themes that the stems touch, most strongly first; ``but_for`` stems count a quarter.

    ``least`` is the score below which a theme is not named.

    A proposition's own words appear in most sentences about it, so that they tell little
    about what one of these sentences adds.
    """
    scores: dict[int, float] = {}
    for word in sorted(words):
        for index in _BY_STEM.get(word, ()):
            scores[index] = scores.get(index, 0.0) + (0.25 if word in but_for else 1.0)
    order = sorted(
        (i for i in scores if scores[i] >= least), key=lambda index: (-scores[index], index)
    )
    return [THEMES[index] for index in order]


def main_theme(words: frozenset[str], but_for: frozenset[str] = frozenset()) -> Theme | None:
    """The theme touched most, if any."""
    return next(iter(ranked(words, but_for)), None)


def by_name(name: str) -> Theme:
    """The theme of that name."""
    return next(theme for theme in THEMES if theme.name == name)


__all__ = ["THEMES", "Theme", "by_name", "main_theme", "ranked"]
