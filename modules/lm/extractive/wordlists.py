"""Closed-class words and other general word lists that sentence selection rests on."""

from __future__ import annotations

from typing import Final


def words(block: str) -> frozenset[str]:
    """The words of a block of text."""
    return frozenset(block.split())


#: Words without a subject of their own: ignored when texts are compared.
FUNCTION_WORDS: Final = words("""
    a about above across after again against all almost along already also although always am
    among an and another any anyone anything are aren't around as at away be became because become
    becomes been before being below between both but by came can can't cannot come comes could
    couldn't did didn't do does doesn't doing don't done down during each either else enough even
    ever every everyone everything far few for from further get gets getting give given gives go
    goes going gone got had has have having he hence her here hers herself him himself his how
    however i if in indeed instead into is isn't it its itself just keep kept less let like made
    make makes making many may me might mine more moreover most much must my myself near neither
    never nevertheless no nobody none nor not nothing now of off often on once one ones only onto
    or other others otherwise ought our ours ourselves out over own per perhaps put puts quite
    rather really said same say says seem seems several shall she should shouldn't simply since so
    some someone something sometimes still such take taken takes than that the their theirs them
    themselves then there therefore these they thing things this those though through thus to
    together too toward towards under unless until up upon us use used uses using usually very via
    want was wasn't way ways we well were weren't what whatever when where whereas whether which
    while who whoever whole whom whose why will with within without won't would wouldn't yes yet
    you your yours yourself
""")

#: Words that may be lowercased wherever a sentence is joined to what precedes it.
LOWERABLE: Final = FUNCTION_WORDS | words("""
    ability access according adding additional admission adult adults age aid alcohol allowing
    alternatives animal animals approximately athletes available bad banks banning based basic
    being benefits better blind books boys building businesses candidates capital care carers cash
    certain change changes charges charging children citizens claims clearly closing clothing
    collections colleges common communities companies competition complex compulsory computer
    concern conditions consequences conservators constant consumers costs countries creating crime
    crimes criminals critics cultural curators current currently customers debt decades
    democracies democracy despite developing development different direct directors disabled
    doctors domestic drivers drugs economic education effective effectively elderly elected
    elections electronic employees employers enforcement ensuring entrance equal equality
    especially established evidence examples existing expansion experienced experiments extreme
    factors fair fairness families farmers fear fees fewer financial first following food foods
    forced forcing foreign former free freedom frequently friends fuel future generally girls
    giving global good government governments greater growing growth harm having health high
    higher historical homework households human humanity humans illegal immediately including
    income increased increasing individual individuals industry information judges keeping kids
    knowledge laboratories lack large last later law lawmakers laws leaders learning legal
    legislation letting libraries life limits little living local losing low low-income lower
    machines making managers many marriage measures meat medical medicine medicines men mice
    military millions minorities mistakes modern modest money mothers museum museums music
    national neighbours new next numerous nurses officers offices officials older one online open
    ordinary outside overall owners paper parents part parties patents patients paying payments
    people permanent physical places players point police policies political politicians poor
    poorer positive poverty power pressure preventing prices prior prisoners privacy private
    producers professional protection provided providing public pupils quality raising rates real
    recent recently recipients reducing regardless regional regular regulators religion religious
    removing reported representative research researchers residents resources respect responsible
    retired revenue rich rights rules safe safety savings scarce scholars schools science
    scientific scientists second secure separate serious services setting several severe shared
    similar simple single skilled small smaller smokers smoking social societies society some
    space special spending staff standard standards starting state strict stronger student
    students studies subsidies successful supporters taking targeted tax taxes taxpayers teachers
    technology teenagers testing tests their third thousands three throughout tickets time timed
    today tourists towns trade traditional training transparent transport travel treatment trials
    true trust trying two ultimately unconditional unemployment unions universal universities
    users vast victims violent visitors volunteers voters voting wages war wealthy well-designed
    whatever whenever winning women work workers working years young youth
""")

#: Words that start sentences and are no names: a capital on them in mid-sentence is misplaced.
HEADING_STARTS: Final = LOWERABLE | words("""
    artificial candidates citizens conservators cosmetics curators directors laboratory
    legislators medicines museums patients regulators shopkeepers taxpayers universal visitors
""")

#: Auxiliaries, modals and verbs common enough that a sentence without any is likely a fragment.
COMMON_VERBS: Final = words("""
    am is are was were be been being has have had do does did can could may might must shall should
    will would cannot can't won't isn't aren't wasn't weren't doesn't don't didn't hasn't haven't
    shouldn't wouldn't couldn't ought
    add adds allow allows argue argues become becomes began begin begins believe believes belong
    belongs break breaks bring brings build builds buy buys call calls carry carries cause causes
    change changes come comes consider considers contain contains contribute contributes cost costs
    create creates cut cuts deliver delivers demand demands depend depends deserve deserves
    destroy destroys drive drives earn earns encourage encourages end ends enjoy enjoys ensure
    ensures exist exists face faces fail fails fall falls feel feels fell find finds follow follows
    force forces gain gains gave get gets give gives go goes grow grows happen happens hear hears
    help helps hold holds hurt hurts improve improves include includes increase increases keep
    keeps knows lack lacks lead leads learn learns leave leaves leaving let lets lie lies live
    lives lose loses lost made make makes mean means meet meets move moves need needs occur occurs
    offer offers open opens pay pays permit permits play plays prevent prevents produce produces
    promote promotes protect protects prove proves provide provides put puts raise raises reach
    reaches receive receives reduce reduces remain remains remove removes require requires rest
    rests rise rises risk risks run runs saw say says see sees seem seems serve serves share
    shares show shows spend spends stand stands stay stays suffer suffers suggest suggests support
    supports take takes tell tells tend tends think thinks threaten threatens took treat treats
    turn turns undermine undermines use uses vote votes want wants weaken weakens work works
    worry worries
""")

#: First and second person: the voice of one writer, which another text cannot borrow.
PERSONAL: Final = words("""
    i i'm i'd i've i'll me my mine myself we we're we've we'd we'll our ours ourselves us
    you you're you've you'd you'll your yours yourself
""")

#: Third-person pronouns, which need what they stand for earlier in the same sentence.
PRONOUNS: Final = words("""
    it it's its itself they they're they've they'd they'll them their theirs themselves he he's
    him his himself she she's her hers herself
""")

#: First words of a sentence that leans on the sentence before it.
LEANING_OPENERS: Final = words("""
    this that these those such it's its they their he she his her here both neither nor others
    another otherwise hence thus therefore so then also too yet but and or however still
    which who whom whose not because although though while whereas unless meanwhile either
    additionally consequently furthermore moreover nonetheless nevertheless similarly likewise
    instead conversely accordingly hereby again ditto same ok well yes no
""")

#: Words and phrases that point outside the sentence wherever they stand.
OUTWARD: Final[tuple[str, ...]] = (
    "the former", "the latter", "the above", "above-mentioned", "aforementioned", "as mentioned",
    "mentioned above", "see below", "see above", "the following", "as follows", "the opposition",
    "the proposition", "proposition side", "this house", "the motion", "my opponent", "side opp",
    "the other side", "answers below", "questions below", "listed below", "in the first case",
    "in the second", "in the latter", "in the former", "the first class", "counter-argument",
    "the point above", "in other words", "as stated", "do so", "does so", "did so", "done so",
    "doing so", "to do this", "the same is true", "the opposite", "the reverse", "the second is",
    "the first is", "the third is", "on the contrary", "on the other hand", "as such",
    "like this", "this argument", "the answer",
)  # fmt: skip

#: Nouns that "that" points at when it stands before them.
POINTED_AT: Final = words("""
    argument burden case category choice concern cost danger decision difference duty effect
    experience fear figure group information issue kind knowledge law link loss moment money motive
    number objection part point policy power principle problem process question reason result right
    risk rule situation sort system time type understanding way
""")

#: Leading connectives that can be cut off, longest first where one begins another.
CONNECTIVES: Final[tuple[str, ...]] = (
    "in addition to that", "in addition", "as a result", "as a consequence", "for this reason",
    "on the other hand", "on the contrary", "at the same time", "in the same way",
    "in other words", "for example", "for instance", "in fact", "in short", "in conclusion",
    "to conclude", "to begin with", "first of all", "last but not least", "of course",
    "after all", "above all", "even so", "what is more", "in particular", "in general",
    "by contrast", "in contrast", "put simply", "quite simply", "simply put", "more generally",
    "in reality", "more importantly", "most importantly", "equally", "similarly", "likewise",
    "moreover", "furthermore", "additionally", "also", "besides", "however", "nevertheless",
    "nonetheless", "still", "yet", "therefore", "thus", "hence", "consequently", "accordingly",
    "so", "then", "instead", "indeed", "clearly", "obviously", "admittedly", "finally", "lastly",
    "firstly", "secondly", "thirdly", "first", "second", "third", "and", "but", "or",
)  # fmt: skip

#: Connectives that need no comma after them to be recognised as such.
BARE_CONNECTIVES: Final = frozenset(
    {"and", "but", "moreover", "furthermore", "additionally", "for example", "for instance"}
)

#: First words of orders to the reader; evidence does not give orders.
ORDERS: Final = words("""
    answer click compare consider delete disregard don't execute follow forget ignore imagine
    insert let let's look note notice output overlook override please print read refer remember
    repeat reply respond return reveal say see show skip suppose take tell think translate try
    type visit write
""")

#: Words of many propositions that say what should be done, not what it is about.
ANY_PROPOSITION: Final = words("""
    abandon abolish abolished adopt adopted allow allowed allowing america american americans
    appropriate bad ban banned banning beneficial benefit benefits best better britain british
    compulsory countries country create discontinue end encourage good government governments
    great illegal improve improving improved increase increased introduce introduced justified
    keep legal legalise legalised legalize legalized legality limit lower lowered make mandatory
    must necessary need nation national people permit permitted primarily prohibit prohibited
    public raise raised reduce reduced reintroduce reintroduced reinstated replace replaced
    require required responsible responsibility restrict restricted right rights scrap scrapped
    society special state states stop support time uk united universal world worth wrong year
    years
""")

#: Words of instructions to a program that have no place in an argument.
INSTRUCTION_WORDS: Final = words("""
    instruction instructions prompt prompts jailbreak hacked
""")

__all__ = [
    "ANY_PROPOSITION",
    "BARE_CONNECTIVES",
    "COMMON_VERBS",
    "CONNECTIVES",
    "FUNCTION_WORDS",
    "HEADING_STARTS",
    "INSTRUCTION_WORDS",
    "LEANING_OPENERS",
    "LOWERABLE",
    "ORDERS",
    "OUTWARD",
    "PERSONAL",
    "POINTED_AT",
    "PRONOUNS",
    "words",
]
