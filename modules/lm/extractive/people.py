"""Words for people, organisations and what goes with them: no topic's own list."""

from __future__ import annotations

from typing import Final

from modules.lm.extractive.wordlists import words

#: Plurals that are people whatever the context.
PEOPLE: Final = words("""
    academics activists actors administrators adolescents adults advisers advocates agents
    analysts applicants architects artists assistants athletes attendants authors authorities
    bankers beneficiaries borrowers bureaucrats buyers campaigners candidates captains carers
    caregivers caretakers chemists children citizens claimants cleaners clerks clients
    clinicians coaches collectors commuters conservationists conservators consumers contractors
    counsellors councillors couples creditors critics curators customers cyclists dealers
    dentists designers detectives developers diplomats directors doctors donors drinkers drivers
    economists editors educators employees employers engineers entrepreneurs environmentalists
    executives experts families farmers fathers fishermen founders funders graduates
    grandparents guards guardians headteachers historians homeowners hunters immigrants inmates
    inspectors inventors investigators investors journalists judges jurors labourers landlords
    lawmakers lawyers leaders learners lecturers legislators lenders librarians listeners
    lobbyists locals magistrates managers manufacturers mayors men merchants migrants ministers
    minorities minors mothers motorists musicians neighbours newcomers nurses observers
    offenders officers officials operators organisers owners painters parents passengers
    patients pedestrians pensioners performers pharmacists philosophers physicians pilots
    planners players poets politicians practitioners priests principals prisoners producers
    professionals professors programmers prosecutors psychologists publishers pupils readers
    recipients refugees regulators researchers residents retailers retirees riders scholars
    scientists seniors servants sellers shoppers shopkeepers singers smokers soldiers
    specialists students supervisors suppliers surgeons taxpayers teachers technicians
    teenagers tenants therapists tourists traders trainers travellers treasurers trustees tutors
    undergraduates users veterans vets victims viewers villagers visitors volunteers voters
    women workers writers youngsters
""")

#: Organisations, with the person who would speak for one.
SPEAKERS: Final[dict[str, str]] = {
    "businesses": "business owner",
    "charities": "charity worker",
    "churches": "parish volunteer",
    "clinics": "clinic manager",
    "colleges": "college lecturer",
    "companies": "company manager",
    "councils": "councillor",
    "courts": "court clerk",
    "farms": "farmer",
    "firms": "company manager",
    "galleries": "gallery manager",
    "hospitals": "hospital manager",
    "laboratories": "laboratory head",
    "libraries": "librarian",
    "museums": "museum manager",
    "parliaments": "member of parliament",
    "regulators": "regulator",
    "retailers": "retailer",
    "schools": "school head",
    "shops": "shopkeeper",
    "unions": "union representative",
    "universities": "university lecturer",
}

#: Groups, with one of their members.
MEMBERS: Final[dict[str, str]] = {
    "authorities": "official",
    "communities": "community volunteer",
    "couples": "spouse",
    "families": "parent",
    "households": "householder",
    "locals": "local resident",
    "minorities": "minority representative",
    "people": "citizen",
    "seniors": "senior citizen",
    "servants": "public servant",
    "victims": "victim support worker",
    "youngsters": "youth representative",
}

#: Plurals that no rule forms.
IRREGULAR: Final[dict[str, str]] = {
    "children": "child",
    "fishermen": "fisherman",
    "men": "man",
    "women": "woman",
    "people": "person",
}

#: Endings of agent nouns in the plural.
AGENT_ENDINGS: Final[tuple[str, ...]] = (
    "ologists", "graphers", "keepers", "makers", "holders", "workers", "seekers", "goers",
    "ists", "eers", "icians", "arians", "ees",
)  # fmt: skip

#: Plurals that end like agent nouns and are none.
NOT_PEOPLE: Final = words("""
    careers committees degrees guarantees overseas persists
""")

#: Words that describe people and stand before them.
DESCRIBERS: Final = words("""
    asylum black blind business veterinary car care city civil climate community consumer council
    deaf digital disabled drug elderly elected election ethnic factory family first-time foreign
    former gay government health hearing-impaired high-income hospital human immigrant
    independent indigenous independent industry job junior laboratory legal lesbian local low-income
    low-paid low-wage medical middle-class migrant military museum national nuclear office old
    older party police political poor primary prison private public religious research retired
    rural school secondary self-employed senior service severely small social state student tax
    teenage trade transport undocumented unemployed union university urban vulnerable wealthy
    white working working-class young younger
""")

#: Words that stand before people without describing a community.
NO_DESCRIBERS: Final = words("""
    actual all any average both certain countless current different either every few fellow fewer
    first five four free great greater hundred individual innocent large last least less many
    million millions more most much new next numerous only ordinary other our own particular
    potential real second several single six some sole such ten their these third those thousand
    thousands three total two typical various very which whose
    small large big good bad best tired popular modern careful regular casual frequent happy keen
    honest worst strong weak
""")

#: Verbs of people: what follows a stakeholder rather than a thing.
AGENT_VERBS: Final = words("""
    agree argue ask believe care choose claim complain decide demand deserve earn expect fear feel
    fight get give go have hope insist know learn like live look lose need object pay prefer
    receive report say see seek spend struggle suffer suggest support think travel try vote want
    warn who whose wish work worry
""")

__all__ = [
    "AGENT_ENDINGS",
    "AGENT_VERBS",
    "DESCRIBERS",
    "IRREGULAR",
    "MEMBERS",
    "NOT_PEOPLE",
    "NO_DESCRIBERS",
    "PEOPLE",
    "SPEAKERS",
]
