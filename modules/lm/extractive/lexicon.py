"""Hand-written word lists for reading stance in policy arguments, and how a word is looked up.

A trailing ``*`` matches any ending; an exact entry wins over a longer or shorter stem.
"""

import re
from dataclasses import dataclass
from functools import lru_cache
from typing import Final


def _words(block: str) -> frozenset[str]:
    return frozenset(block.split())


#: Words that praise what they are said of.
GOOD: Final = _words("""
    able abundan* access accessib* accountab* accurate* achiev* admir* advanc* advantag*
    affordab* appropriate asset* attractive autonom* balanced beautif* belong* benef* benevolen*
    best better bonus* brilliant broaden* capable cheap* cheer* choice* choose civilis* civility
    civiliz* clean cleaner cohesion comfort* commend* compassion* compatib* compelling
    competent* comprehensive confiden* consensual consent* conserv* consisten* constructive
    convenien* cooperat* correct* courag* creativ* credib* cure cures curious* decen* dedicat*
    deserv* desirab* develop* dignity diligen* disciplin* divers* eager* easier easy economical
    edifying educational effective* efficac* efficien* egalitarian* elegan* eligib* emancipat*
    embrace* empower* endors* engag* enjoy* enlighten* enrich* enthusias* entitle* equal* equip*
    equit* essential* ethical* excel* excit* expert* fair fairer fairest fairly fairness faster
    favor* favour* feasib* flexib* flourish* free freed* freely freer fresh friendly fulfil* fun
    fundamental gain gained gains generous* genius* genuine glad good great greater grow growth
    happi* happy harmless* harmon* healing health healthier healthy help helped helpful* helping
    helps hero* honest* honor* honour* hope hopeful* humane* ideal importance important
    inclusion inclusive* independen* ingen* innocen* innovat* insight* integr* intelligen*
    interesting invaluable invigorat* inviolab* joy* justice justif* kindness knowledge
    law-abiding lawful* learn* legitima* liberat* liberties liberty life-saving lifeline
    lifesaving logical* love* loyal* lucrative mature* meaningful* merit merits moral morality
    motivat* necess* neutral* nurtur* nutritious openness opportunit* optimal* optimis* orderly
    outperform* participat* patriot* peace* perfect* pleasant* pleasure* popular* positive*
    powerful practical* precious predictab* prefer* prestig* privacy privileg* proactive
    productiv* profit* progress* promis* proper properly proportion* prosper* proud* proven
    prudent* quality quicker rational* realis* reasonable reasonably recover* recycl* redeem*
    refresh* rehabilit* relax* reliab* relief remedies remedy renew* representation
    representative resilien* respect* responsib* reward* richer right rightful* rightly rights
    robust* safe safer safest safety sanctity satisf* save saved saves saving savings security
    sensib* simple simpler simplif* skill* smart* smooth* solidarity solution* sovereign*
    stabil* stable streamlin* strong* succeed* success* suitab* superior* talent* thriv*
    toleran* tolerat* transparen* treasure* true trust* truth* uplift* useful* valid* valu*
    viab* vibran* victor* virtu* vital* voluntary wealth welcom* welfare well-being
    well-informed wellbeing wholesome win winnable winner* wins wisdom wise* wonderful* worth
    worthwhile worthy
""")

#: Words that blame what they are said of.
BAD: Final = _words("""
    abhor* abnormal* abomin* absurd* abus* accident* accus* addict* afraid aggravat* aggress*
    alarm* alienat* anger* angry annoy* anti-social antisocial anxi* apath* arbitrar* archaic
    arrogan* asham* assault* atrocit* attack attacks awful* backfir* backlash backward* bad
    badly ballooning banal bankrupt* barbar* barrier* bias* bigot* bitter* blackmail* blackout
    bleak boredom boring bother* breach* brib* broken brutal* bulli* bully* burden* bureaucra*
    cancer* careless* casualt* catastroph* censor* chaos chaotic clash* closed closure* coerc*
    collaps* complain* complicated conceal* confis* conflict* confus* contaminat* contradict*
    controversial corrupt* cost costing costly costs counter-productive counterproductive
    coward* crashed crim* crises crisis cronyism crowded cruel* danger* dead deadl* death deaths
    debt* deceiv* decept* decline* defect* defian* deficien* deficit* degener* dehumani* delay*
    deleterious delusion* demean* demonis* denial denigrat* dependence dependency dependent
    deplor* depress* deprivation derail* desensiti* despair desper* destabil* destitut*
    destruct* deteriorat* detriment* deviant dictator* die died dies difficult* dire dirty
    disadvantag* disagree* disappoint* disaster* disastrous* discontent* discriminat* disease*
    disenfranchis* disgrac* disgust* dishonest* disillusion* disincentiv* disinformation
    dislike* dismal disorder* displac* dispropor* disput* disrespect* dissatisf* distract*
    distress* distrust* disturb* division* divisive doom* doubt* downfall downside* drawback*
    dubious dumb dying elitis* embarrass* enemies enemy erosion error* escalat* evad* evasion
    evict* evil* exacerbat* exaggerat* excess* exclu* excus* exorbitant expens* exploit*
    extinct* extremis* failure* fake* fallac* false* fatal* fatigue fault* fear* flaw* foolish*
    forbid* force forced forces forcing frail fraud* frighten* frivolous frustrat* futil*
    gambling gang gangs gap greed* griev* gross* guilt* hack hacked hacker* hacks handicap*
    harass* hard hardship* harmed harmful* harming harms harsh* hate* hatred hazard* hell
    helpless* hindrance* hoard* hollow homeless* horrendous horrib* horrid horrif* horror*
    hostil* humiliat* hunger hurdle* hypocri* idiotic ill ill-health illegal* illegit* illicit
    illness* imbalance* immatur* immoral* impair* impersonal impos* impoverish* impractical*
    imprison* improper* inaccura* inadequa* inappropriat* incapab* incomp* inconsisten*
    inconvenien* incorrect* indefensible indoctrinat* ineffect* inefficien* inequal* inequit*
    infect* inferior* inflam* inflat* inflexib* inhuman* injur* injust* insane* insecur*
    insensitiv* instabil* insufficien* insult* intimidat* intoleran* intrud* intrus* invas*
    irrational* irrelevan* irrespons* irritat* isolat* jail* jealous* kidnap* kill* lament* lazy
    leak* liability liar* lie lied lies limitation* litter lonel* lose loser losers loses losing
    loss losses lost luxury malicious* malnutrition manipul* marginali* meaningless* menac* mess
    messy militant* mindless* misguided misinformation misle* mistake* mistreat* mistrust*
    misunderstand* misuse* mock* molest* monopol* monstrous murder* myth* naive* nasty needless*
    negativ* negligen* nightmare* nonsense* notorious nuisance* obes* obscen* obsess* obsolete
    obstacle* offend* offens* onerous opaque oppress* outdated outlier* outrag* outweigh*
    overburden* overcrowd* overdose* overload* overpriced overwhelm* overwork* pain* panic*
    paranoi* parasit* pathetic* penalis* penaliz* peril* perish* perpetuat* persecut* perver*
    plagiar* plagu* pointless* polaris* polariz* pollut* poorly poverty prejudic* pressur*
    problem* profiteer* propaganda* prosecut* punish* punitive queue* racis* rape* recession*
    reckless* redundan* regressive regret* reluctan* repress* repugnant repuls* resent*
    retaliat* ridicul* riot* risk* ruthless* sad scam* scandal* scapegoat* scare* scary
    sedentar* segregat* selfish* senseless* sever* sexis* shame* shocking shootings shortage*
    shrink* shut sick sickness sinister slaughter* slave* slow slower slowly smuggl* spoil*
    squander* squeez* stagnat* stalk* starv* steal* stereotyp* stigma* stolen strain* stress*
    struggl* stunt* stupid* suffer* suffocat* suicid* superficial* suspicio* taint* tamper* tax
    taxes taxpayer* tedious temptation* terribl* terrif* terror* theft* thiev* threat threats
    torment* tortur* toxic* traffick* tragedies tragedy tragic* trap* trauma* treason trick*
    trivial* troubl* tyran* ugly unable unaccept* unaccount* unaffordab* uncertain* unchecked
    unclear uncomfortab* unconstitut* undemocratic* underfund* underpaid undeserv* undesirab*
    uneducated unemploy* unequal* unethical* unfair* unfit unfortunate* unhapp* unhealth*
    unheard unjust* unlawful* unnatur* unnecessar* unneeded unpleasant* unpopular* unpredict*
    unproductiv* unproven unqualified unrealistic* unreasonab* unreliab* unrest unsafe unsatisf*
    unscrupulous unseen unstable unsuccessful* unsuitab* unsustain* untrue unwant* unwilling*
    unwise unworkab* upset* useless* vicious* victim* violen* virus* vulgar* vulnerab* wast*
    weakness* wealthiest wealthy weapon* worr* wors* worthless* wrong*
""")

#: Verbs that pass the value of their object on; good on their own.
PROMOTERS: Final = _words("""
    allow* bolster* boost* bring* contribut* creat* deliver* doubl* enabl* encourag* enhanc*
    ensur* expand* extend* foster* generat* give gives giving guarantee* help helped helping
    helps improv* increas* inspir* let lets maintain* offer* pays_for permit* preserv* promot*
    protect* provid* rais* restor* safeguard* secure* securing shield* stimulat* strengthen*
    support* sustain* uphold* widen*
""")

#: Words that turn the value of their object round; neutral on their own.
REDUCERS: Final = _words("""
    absence alleviat* avert* avoid* combat* counter* cut cuts cutting decreas* deter* eas*
    eliminat* end ending ends eradicat* few fewer fight fighting fights fix fixes free_from
    free_of less lessen* lighten* lower* minimis* minimiz* mitigat* overcom* prevent* reduc*
    reliev* remov* resolv* rid safe_from solv* stamp stop stopped stopping stops tackl* without
""")

#: Words that turn the value of their object round; bad on their own.
DESTROYERS: Final = _words("""
    compromis* damag* degrad* den* depriv* destroy* devastat* diminish* discourag* disregard*
    disrupt* distort* drain* endanger* erod* fail* harm harming harms hinder* hurt* ignor*
    impede* imperil* infring* interfer* jeopard* keep_from lack lacked lacking lacks limit*
    neglect* obstruct* poison* restrict* ruin* sacrific* sapp* stifl* strip* suppress* threaten*
    undermin* violat* weaken* wreck*
""")

#: Words that turn round what follows them.
NEGATORS: Final = _words("""
    arent barely cannot cant doesnt dont hardly impossible instead_of isnt less_likely neither
    never no no-one no_evidence no_longer nobody none nor not not_necessarily nothing nowhere
    rather_than refus* scarcely shouldnt unlikely wont
""")

#: What is done to a thing one wants less of.
ADVERSE_ACTIONS: Final = _words("""
    abandon* abolish* abolition avoid* ban banned banning bans block* boycott* bypass* ceas*
    close closing closure criminal_offence criminal_offense criminali* curb* curtail* cut
    cutting decline_to declines_to deni* denied discontinu* disestablish* dismantl* divest* drop
    dropped eliminat* end ended ending eradicat* expel* fight* forbid* halt* illegal* limit*
    oppos* outlaw* phas* prevent* prohibit* prosecut* punish* refus* reject* remov* repeal*
    restrict* revok* scrap scrapped scrapping shorten* stop stopped stopping strip* suspend*
    withdraw*
""")

#: What is done to a thing one wants more of.
FAVOURABLE_ACTIONS: Final = _words("""
    accept* adopt* allow* approv* authori* compulsory continu* decriminali* embrac* enact*
    encourag* entitle* expand* fund* implement* introduc* keep keeping kept legal legali* legit*
    mandat* oblig* permit* preserv* promot* protect* provid* recogni* reintroduc* requir*
    retain* subsidi* support* use used
""")

#: Adverse actions that mean the target even where it is not named.
BANS: Final = _words("""
    abolish* abolition ban banned banning bans criminal_offence criminal_offense criminali*
    forbid* illegal* outlaw* prohibit*
""")

#: Favourable actions that mean the target even where it is not named.
PERMITS: Final = _words("""
    decriminali* legal legali* permitted permitting
""")

#: Words of a proposition that name neither its target nor its policy.
STOPWORDS: Final = _words("""
    a about all an and any are as at be been being by can could do does ever every everyone for from
    have has had in into is it its make makes making may might more most new no not of on one or our
    out over own people should some such than that the their them there these they this to too
    under up us use used using very was way we were what when where which who will with would
    your government governments state states country countries united must ought need needs only
    good better best bad worse worst between go going
""")

#: Nouns for what is laid on a thing one wants less of: "tax on X", "X control".
BURDENS: Final = _words("""
    abolition ban bans cap caps control controls curb curbs limit prohibition restrictions sanctions
    tax
""")

#: Words that make little of the blame before them.
DISMISSALS: Final = _words("""
    exaggerated manageable minimal minor myth myths negligible overblown overstated rare small
    unfounded unlikely
""")

#: Phrases that answer a proposal, whatever it proposes.
ANSWERS: Final = _words("""
    better_alternative better_alternatives better_things better_way better_ways no_need
""")

#: Modals that make the verb after them a demand.
DUTIES: Final = _words("""
    must mustn't need needs ought should shouldn't
""")

#: What follows outweighs what came before in the sentence.
CONTRASTERS: Final = _words("""
    but however nevertheless nonetheless yet
""")

#: What they introduce is granted, not argued.
CONCEDERS: Final = _words("""
    although despite notwithstanding though whereas while
""")

#: Words that refuse what a duty or a judgement says.
REFUSALS: Final = _words("""
    cannot can't don't doesn't isn't aren't shouldn't mustn't needn't never no no-one nobody none
    not
""")

#: Words before a thing that speak of its absence.
REMOVERS: Final = _words("""
    fewer instead_of lack less no rather_than removing without
""")

#: Verbs that open a judgement.
COPULAS: Final = _words("""
    are can did do does has have is was were will would
""")

#: What follows is set against what came before.
VERSUS: Final = _words("""
    instead_of outweigh outweighs rather_than replace replaces replacing than versus vs
""")

#: Verbs of reporting.
REPORTS: Final = _words("""
    argue argued argues believe believes claim claimed claims contend contends fear fears feel hope
    insist insists maintain say says think warn warned warns worry
""")

#: Who is reported to be against.
OPPONENTS: Final = _words("""
    critics detractors opponents opposition sceptics skeptics
""")

#: Who is reported to be for.
PROPONENTS: Final = _words("""
    advocates defenders proponents proposers supporters
""")

#: Fixed phrases, joined to one word before reading; -1 blames, 1 praises, 0 is only protected.
PHRASES: Final[dict[str, float]] = {
    "as well": 0.0,
    "as well as": 0.0,
    "at risk": -1.0,
    "cost less": 1.0,
    "costs less": 1.0,
    "does not work": -1.0,
    "do not work": -1.0,
    "doesn't work": -1.0,
    "don't work": -1.0,
    "not enough": -1.0,
    "works well": 1.0,
    "at the expense of": -1.0,
    "at the mercy of": -1.0,
    "bad idea": -2.0,
    "burden on": -1.0,
    "by no means": -1.0,
    "cannot afford": -1.0,
    "common sense": 1.0,
    "do more harm than good": -2.0,
    "does more harm than good": -2.0,
    "dependent on": -1.0,
    "for the rich": -1.0,
    "free of charge": 0.0,
    "good enough": 1.0,
    "have to close": -1.0,
    "good idea": 2.0,
    "human rights": 1.0,
    "in favour of": 1.0,
    "in favor of": 1.0,
    "keep away": -1.0,
    "keep out": -1.0,
    "make sense": 1.0,
    "makes sense": 1.0,
    "makes no sense": -1.0,
    "more good than harm": 2.0,
    "more harm than good": -2.0,
    "more likely": 0.0,
    "not only": 0.0,
    "not just": 0.0,
    "not merely": 0.0,
    "out of reach": -1.0,
    "over the age of": 0.0,
    "price out": -1.0,
    "public good": 1.0,
    "put off": -1.0,
    "right now": 0.0,
    "right to": 1.0,
    "better spent": -1.0,
    "better used": -1.0,
    "more important things": -1.0,
    "more important issues": -1.0,
    "take away": -1.0,
    "takes away": -1.0,
    "takes away from": -1.0,
    "too great": -1.0,
    "lead to": 0.0,
    "second class": -1.0,
    "shut out": -1.0,
    "slippery slope": -1.0,
    "the case against": -1.0,
    "the case for": 1.0,
    "time to": 0.0,
    "too far": -1.0,
    "too much": -1.0,
    "turn away": -1.0,
    "waste of": -2.0,
    "wear out": -1.0,
    "wears out": -1.0,
}

#: Words that stand for the two sides of one choice; a text about one side is not about the other.
CONTRARIES: Final[tuple[tuple[frozenset[str], frozenset[str]], ...]] = tuple(
    (_words(left), _words(right))
    for left, right in (
        ("animal* meat beef livestock", "vegan* vegetarian* plant-based"),
        ("aid donor*", "trade"),
        (
            "car cars driv* motorist*",
            "bicycle* bus buses cyclist* pedestrian* train trains transit",
        ),
        ("centrali* federal", "decentrali* local*"),
        (
            "coerc* compulsory force* mandat* oblig*",
            "able choice* choos* freedom option* right_to voluntar*",
        ),
        ("digital* electronic* internet machine* online", "handwrit* manual* paper ballot*"),
        ("direct", "representative*"),
        ("elect elected election*", "appoint* heredit*"),
        ("free free_of_charge", "charg* fee fees pay paying price* ticket*"),
        ("nuclear", "renewable* solar wind"),
        ("coal fossil gas oil", "renewable* solar wind"),
        (
            "aged ageing elder* old older over_the_age_of",
            "age_limit age_limits upper_limit young* youth*",
        ),
        ("privat*", "public* state nationali* state-owned"),
        ("religio* church* faith*", "atheis* secular*"),
        ("war military invasion", "diplomacy peace* negotiat*"),
    )
)

#: Verbs that open a call for action without a subject.
IMPERATIVES: Final = _words("""
    abandon abolish adopt allow ban bring build close create deny eliminate end expand forbid
    give introduce keep legalise legalize make outlaw prohibit protect raise reduce reintroduce
    reject remove repeal require restore scrap stop subsidise subsidize
""")

#: First words that lose their capital inside a sentence.
OPENERS: Final = _words("""
    a all an animals any children companies every everybody everyone governments he her his if in it
    its many more most my no nobody none not one only our parents people she some students such
    that the their there these they this those we what when women you your
""")

#: Words that open a subordinate clause: a verb after them is not the proposition's own.
SUBORDINATORS: Final = _words("""
    because if that unless what when where whether which while who whom whose why
""")

#: Subjects that deny by themselves, and what they deny.
DENYING_SUBJECTS: Final[dict[str, str]] = {
    "no one": "people",
    "no-one": "people",
    "nobody": "people",
    "none of": "some of",
    "no": "some",
}

#: First words whose sentence a "not" after the verb would not deny.
QUANTIFIERS: Final = _words("""
    any either few many most neither only several some
""")

#: Subjects that say "all", and what is left when they are denied.
TOTAL_SUBJECTS: Final = _words("""
    all each every everybody everyone
""")

_TOKEN = re.compile(r"[a-z0-9]+(?:[_'-][a-z0-9]+)*|[,;:().?!]")
_KEEP_FROM = re.compile(r"\bke(?:ep(?:s|ing)?|pt)\b(?=(?: [\w'-]+){0,4} (?:from|out|away)\b)")
_LISTS = (
    *(side for pair in CONTRARIES for side in pair),
    ANSWERS,
    ADVERSE_ACTIONS,
    BANS,
    NEGATORS,
    PROMOTERS,
    REDUCERS,
)
_JOINED = set(PHRASES) | {w.replace("_", " ") for words in _LISTS for w in words if "_" in w}
_PHRASE = re.compile(r"\b(" + "|".join(sorted(_JOINED, key=len, reverse=True)) + r")\b")


def tokens(text: str) -> list[str]:
    """Lower-case words and punctuation marks; a phrase of the lists is one word."""
    plain = text.lower().replace("\u2019", "'").replace("no one", "no-one")
    plain = _KEEP_FROM.sub("keep_from", plain)
    return _TOKEN.findall(_PHRASE.sub(lambda match: match[0].replace(" ", "_"), plain))


def fit(word: str, words: frozenset[str]) -> int:
    """How closely a list names the word: 0 not at all, else the length of the longest match."""
    if word in words:
        return len(word) + 1
    return next((n for n in range(len(word), 1, -1) if word[:n] + "*" in words), 0)


@dataclass(frozen=True)
class Role:
    """What a word can do, whatever the proposition."""

    value: float = 0.0  # praise or blame
    operator: int = 0  # factor on the value of its object; 0: takes none
    action: int = 0  # +1 wants more of its object, -1 less
    certain: bool = False  # an action that means the target even where it is not named


_CUE_LISTS: tuple[tuple[frozenset[str], float, int], ...] = (
    (GOOD, 1.0, 0),
    (BAD, -1.0, 0),
    (PROMOTERS, 0.6, 1),
    (DESTROYERS, -1.0, -1),
    (REDUCERS, 0.0, -1),
    (NEGATORS, 0.0, -1),
)


@lru_cache(maxsize=50_000)
def role(word: str) -> Role:
    """What the lists say of a word."""
    phrase = PHRASES.get(word.replace("_", " "))
    if phrase is not None:
        return Role(value=phrase)
    if word.endswith("n't"):
        return Role(operator=-1)
    fits = [(fit(word, words), value, factor) for words, value, factor in _CUE_LISTS]
    best, value, factor = max(fits, key=lambda entry: entry[0])
    adverse = fit(word, ADVERSE_ACTIONS)
    action = -1 if adverse else int(fit(word, FAVOURABLE_ACTIONS) > 0)
    certain = bool(fit(word, BANS) or fit(word, PERMITS))
    return Role(value, factor, action, certain) if best else Role(0.0, 0, action, certain)


_ENDING_LIST: Final = _words("""
    ation ations ed es ies ing ings ion ions isation isations ise ised ises ising ization
    izations ize ized izes izing ly s y
""")
#: Longest first, as the first that fits is cut off.
_ENDINGS: Final = sorted(_ENDING_LIST, key=lambda ending: (-len(ending), ending))


@lru_cache(maxsize=50_000)
def stem(word: str) -> str:
    """A rough stem, enough to meet a proposition's word in another form."""
    for ending in _ENDINGS:
        if word.endswith(ending) and len(word) - len(ending) >= 4:
            return word[: -len(ending)].rstrip("e")
    return word.rstrip("es") if len(word) > 4 else word


def choices(words: list[str]) -> tuple[frozenset[str], frozenset[str]]:
    """Words for the choices that are named, and words for their contraries."""
    kindred: set[str] = set()
    contrary: set[str] = set()
    for pair in CONTRARIES:
        named = [any(fit(word, side) for word in words) for side in pair]
        if named[0] != named[1]:
            kindred |= pair[named.index(True)]
            contrary |= pair[named.index(False)]
    return frozenset(kindred), frozenset(contrary)
