"""The words by which a text says that people disagree, read sentence by sentence.

Each family of cues is one feature of a sentence; what they weigh is fitted (``detector.py``).
English only.
"""

from __future__ import annotations

import re
from typing import NamedTuple

from modules.text import sentences

_HEADING = re.compile(r"^\s*(?:#{1,6}\s+.*|\*\*[^*]+\*\*:?\s*)$")
_BULLET = re.compile(r"^\s*(?:[-*\u2022+]|\(?\d{1,2}[.)])\s+")
_MARKUP = re.compile(r"[*_`#>]+")

_SAY = (
    r"(?:argu|believ|claim|contend|maintain|insist|assert|say|said|hold|think|thought|feel|felt|"
    r"consider|regard|view|see|support|oppos|object|counter|repl|respond|warn|point|suggest|"
    r"advocat|favou?r|reject|den(?:y|ies|ied)|disput|prefer|fear|defend|critici[sz]|posit|stress|"
    r"emphasi[sz]|propos|condemn|welcom|resist|press|recommend|call for|want|dismiss|hail|"
    r"doubt|speak|spoke|praise|champion|challeng|swear|explain|deem|worry|worri)\w*"
)
_HOLD = (
    r"(?:argu(?:e|es|ed|ing)|believe[sd]?|claim(?:s|ed)?|contend(?:s|ed)?|maintain(?:s|ed)?|"
    r"insist(?:s|ed)?|assert(?:s|ed)?|say|says|said|hold that|think|thought|feel that|regard|"
    r"consider (?:it|this|that|them|him|her|the|such|any)|(?:view|see) (?:it|this|them|him|her|the|"
    r"such|a|in|no)|support|oppose[sd]?|object(?:s|ed)?|reject(?:s|ed)?|den(?:y|ies|ied)|dispute[sd]?|"
    r"favou?r|prefer|defend|criticize|criticise|condemn|call for|advocate|praise|doubt)"
)
_THINGS = (
    r"(?:stud(?:y|ies)|research|evidence|trials?|surveys?|reports?|cases?|cities|countries|states|"
    r"factors|forms|types|ways|areas|key|points?|benefits)\b"
)
_FOR = (
    r"(?:proponents?|supporters?|advocates?|defenders?|backers?|enthusiasts?|champions|optimists?|"
    r"believers?|adherents?|promoters?|those (?:who|that) (?:support|favou?r|want|back|defend)|"
    r"those in favou?r)"
)
_AGAINST = (
    r"(?:critics?|opponents?|detractors?|sceptics?|skeptics?|objectors?|pessimists?|"
    r"adversaries|naysayers|those (?:who|that) (?:oppose|object|reject|doubt|disagree)|"
    r"those (?:opposed|against))"
)
_SOME = (
    r"(?:some|many|certain|several|numerous|most|a (?:number|minority|majority) of|"
    r"there are (?:people|those) who)"
)
_OPINIONS = r"(?:opinions?|views?|viewpoints?|perspectives?|positions?|sentiments?|attitudes?)"
_PEOPLE = (
    r"(?:people|experts?|scholars?|scientists?|researchers?|historians?|economists?|"
    r"philosophers?|theologians?|observers?|analysts?|lawyers?|voters?|citizens?|society|"
    r"societies|public|linguists?|physicists?|teachers?|parents?|doctors?|commentators?|"
    r"ethicists?|educators?|policymakers?|community|communities|thinkers?|readers?|person|one)"
)
_CONTESTED = (
    r"(?:debatable|contested|contentious|controversial|disputed|divisive|polari[sz](?:ed|ing)|"
    r"(?:hotly|widely|much|often|deeply|fiercely|highly|long|heavily|frequently|most|"
    r"constantly|still|being|been|is|are|was)[- ]+(?:\w+[- ]+){0,2}(?:debated|argued over|"
    r"questioned|in dispute))"
)
_QUARREL = r"(?:debates?|controvers(?:y|ies)|disputes?|contention|disagreements?|quarrels?)"

FAMILIES: dict[str, re.Pattern[str]] = {
    name: re.compile(pattern, re.IGNORECASE)
    for name, pattern in {
        "contested": rf"\b{_CONTESTED}\b",
        "quarrel": rf"\b{_QUARREL}\b",
        "subject_of_quarrel": (
            r"\b(?:subject|topic|matter|source|point|object|bone|focus|area|theme|part|question)s?"
            rf" of (?:\S+ ){{0,6}}?(?:{_QUARREL}|discussions?)\b"
            r"|\b(?:sparked|stirred|caused|provoked|generated|raised?)"
            rf" (?:\S+ ){{0,4}}?{_QUARREL}\b"
            r"|\bflashpoint\b|\bhot[- ]button\b|\bstrong (?:feelings|emotions|opinions)\b"
        ),
        "the_quarrel": (
            rf"\b(?:the|this|a|an) (?:(?:ongoing|continuing|long-standing|broader|wider|heated|"
            rf"intense|lively|fierce|current|old|public|political|polari[sz]ed|highly|considerable|"
            rf"significant|central) )*{_QUARREL}(?: (?:\S+ ){{0,16}}?)?"
            r"(?:over|about|between|around|surrounding|on|as to|whether|continues?|is|goes|"
            r"remains)\b"
            rf"|\b(?:ongoing|continuing|long-standing|considerable|heated|intense|lively|fierce|"
            rf"significant|extensive|much) (?:\S+ ){{0,3}}?{_QUARREL}\b"
            rf"|\bsides? of (?:the|this) (?:{_QUARREL}|issue|argument|question)\b"
        ),
        "both_sides": (
            r"\b(?:arguments?|points?|cases?|reasons?|merits?|claims|concerns|considerations|"
            r"evidence|opinions|views|positions|opinion|backing) (?:\w+ ){0,3}?"
            r"(?:on|for|from|of|in|to) (?:both|either|each|all)\b(?: \w+){0,2}"
            r"|\bboth (?:sides|views|viewpoints|perspectives|positions|camps|arguments|cases|"
            r"stances|approaches) (?:\w+ ){0,2}?(?:have|has|deserve|can|are|of|hold|make|raise|"
            r"carry)\b"
            r"|\b(?:argu\w+|seen|read|made|go|goes|cut|cuts|defended) (?:\S+ ){0,3}?"
            r"(?:either|both) ways?\b"
            r"|\b(?:two|opposing|competing|rival|different) (?:sides|camps)\b"
            r"|\beither (?:verdict|view|position|side|answer)\b"
            r"|\bfor and against\b(?=.*\b(?:neither|strong|persuasive|compelling)\b)"
            r"|\bstrong cases?\b"
        ),
        "opinions_differ": (
            rf"\b{_OPINIONS}\b(?: \S+){{0,9}}? (?:differ|vary|varies|divided|split|diverge|clash|"
            r"range|mixed|diverse)\w*"
            rf"|\b(?:differing|divided|divergent|opposing|conflicting|diverse|varying|clashing|"
            rf"wide range of|diverse range of|variety of) {_OPINIONS}"
            r"|\bdifferent (?:\S+ ){1,8}?(?:conclusions?|answers?|positions?|interpretations?)\b"
            rf"|\b{_PEOPLE}\b(?: \S+){{0,6}}? (?:disagree|differ|are (?:\S+ )?(?:divided|split)|"
            r"do not (?:all )?agree|don't agree|cannot agree|quarrel|are at odds|do not speak)"
            r"|\bdisagree(?:s|ment|ments)?\b|\bat odds\b"
            r"|\bverdict is split\b|\bjury is (?:still )?out\b"
        ),
        "no_consensus": (
            r"\b(?:no|without|lack of|lacks?|little|nor is there)(?: \S+){0,3}? (?:consensus|"
            r"agreement)\b(?! among)|\bno consensus\b"
            r"|\bno (?:\S+ ){0,2}?(?:universally|generally|commonly)(?: \S+)? (?:answer|view|"
            r"definition|accepted)"
            r"|\bnot (?:universally|generally|widely) (?:accepted|agreed|shared)\b"
            r"|\b(?:no|not|never|isn't) (?:\S+ ){0,3}?(?:definitive(?:ly)?|objective(?:ly)?|"
            r"conclusive(?:ly)?) (?:answer|right|settled|answered|resolved)\w*"
            r"|\bopen question\b|\bremains (?:open|unresolved|unsettled)\b"
        ),
        "opinion": (
            r"\bmatters? of (?:\S+ ){0,3}?(?:opinion|tastes?|preferences?|perspective|viewpoint|"
            r"values?|belief|conviction|judg\w+|interpretation|faith)\b"
            r"|\bpersonal (?:\S+ ){0,3}?(?:opinion|preference|choice|decision|tastes?|beliefs?|"
            r"values|view|philosophy|conviction|question|matter|one)\b"
            r"|\bsubjective\b|\bdepends? on (?:whom|who) (?:you|one)\b|\beye of the beholder\b"
        ),
        "depends_on_values": (
            r"\b(?:depend\w*|var(?:y|ies)|differs?|hinges?|rests?|reflects?|comes?|according|lies?|"
            r"turns?)\b(?: \S+){0,12}?"
            r" (?:values?|beliefs?|perspectives?|viewpoints?|world ?views?|ideolog\w+|outlook|"
            r"convictions?|philosoph\w+|priorities|ethical framework|moral framework|"
            r"political (?:views|leanings|alignment)|whom|who you ask|the person|tastes?|"
            r"preferences?|interpretations?|interpretive|opinions?)\b"
        ),
        "for_says": rf"\b{_FOR}\b(?: \S+){{0,6}}? {_SAY}|\baccording to {_FOR}",
        "against_says": (
            rf"\b{_AGAINST}\b(?: \S+){{0,6}}? {_SAY}|\baccording to {_AGAINST}"
            rf"|\b(?:is|are|was|were|been) (?:\S+ )?critici[sz]ed\b"
        ),
        "some_say": (
            rf"\b{_SOME} (?!{_THINGS})(?:(?!{_THINGS})\w+ ){{0,3}}?{_HOLD}\b"
            rf"|\b(?:seen|viewed|regarded|considered|argued|held) (?:\w+ )?by (?:some|many)\b"
        ),
        "others_say": (
            rf"\b(?:others?|other \w+|the other (?:side|camp|view)|not everyone)\b"
            rf"(?: (?!{_THINGS})\S+){{0,4}}? "
            rf"(?:{_HOLD}|subscribe|disagree|counter|repl(?:y|ied)|point to)\b"
        ),
        "whereas": (
            r"\b(?:while|whereas|but|though|although|on the other hand|by contrast|in contrast|"
            r"conversely|however|nevertheless|others)\b"
        ),
        "from_a_view": (
            r"\bfrom an? (?:\S+ ){1,4}?(?:perspective|standpoint|point of view|viewpoint|view)\b"
            r"|\b(?:in|on|according to) (?:the|this|that|one|another|a rival) (?:\S+ )?view\b"
            r"|\b(?:in the view|in the eyes) of\b|\bfor (?:abolitionists|those who)\b"
            r"|\bdifferent (?:\S+ ){0,2}?(?:frameworks|religions|traditions|schools|faiths|"
            r"philosophies|cultures|societies) (?:\S+ ){0,3}?(?:offer|hold|give|see|take|may|"
            r"answer|provide)\w*"
        ),
        "a_school_says": (
            r"(?:^|[;:,] )(?:(?!should|must|can\b|could|to\b)\S+ ){0,4}?\w*(?:ists|ians|ics|ers|"
            r"ors|ans|ees|als|groups'?|women|movements|firms|followers|governments|scholars|"
            r"doctors|parents|bishops|members|"
            r"unions|books)\b(?: (?!should|must|can\b|could|may|might)\S+){0,4}? "
            r"(?:argu(?:e|ed|es)|"
            r"contend(?:s|ed)?|maintain(?:s|ed)?|insist(?:s|ed)?|hold that|held that|"
            r"posit(?:s|ed)?|object(?:s|ed)?|counter(?:s|ed)?|repl(?:y|ied|ies)|answer that|"
            r"den(?:y|ied|ies)|disput(?:e|es|ed)|reject(?:s|ed)?|believ(?:e|es|ed)|"
            r"(?:to )?say (?:that|yes|no)|says? that|said that|thinks? that|regard(?:s|ed)?|"
            r"consider|see\b|want|press|announced|oppose[sd]?|welcome[sd]?|call for|press for|"
            r"praise[sd]?|claim(?:s|ed)?|"
            r"resist(?:s|ed)?|recommend|warn(?:s|ed)?)\b"
            r"|\b(?-i:[A-Z]\w+)(?: and (?:his|her|their) \w+)? "
            r"(?:thought|held|taught|argued|denied|denies|deny|believed|maintained|argues|claims|insists)\b"
        ),
        "the_question": (
            r"\b(?:the|this|that|such a) (?:\S+ )?(?:question|issue|topic|matter|subject|proposal|"
            r"idea|practice|notion|debate|point|effectiveness|legality|success|characteri[sz]ation)"
            r"\b|^(?:it|this|here) (?:is|are)\b|\bwhether\b"
        ),
        "weighing": (
            r"\bone[- ]size[- ]fits[- ]all\b|\bcomplex\b|\bmulti-?faceted\b|\bnuanced\b|"
            r"\bfactors\b|\bweigh\w*|\bbalanc\w+|\bcareful\w*"
        ),
        "evidence": (
            r"\b(?:stud(?:y|ies)|research|evidence|results?|trials?|findings|data)\b(?: \S+){0,6}? "
            r"(?:mixed|inconclusive|unclear|uncertain|limited|varied|conflicting|inconsistent)"
            r"|\bsome studies\b|\bmore research\b"
        ),
        "agreed": (
            r"\b(?:consensus (?:among|that|is)|experts? agree|agree that|scientists agree|"
            r"broad consensus|overwhelming\w*|no credible|myth|misconception|widely accepted|"
            r"well[- ](?:supported|established)|unanimous\w*)\b"
        ),
        "reports_past": r"\bhistorically\b|\bused to\b|\bonce\b|\bin (?:1[5-9]\d\d|20[012]\d)\b",
    }.items()
}
"""Families of cues, in the order of a sentence's features."""


class Sentence(NamedTuple):
    """A sentence of a text, cleared of markup; ``section`` counts headings before it."""

    text: str
    section: int
    heading: bool


def read(text: str) -> list[Sentence]:
    """The sentences of an answer that may be set in Markdown; a list item is one of its own."""
    found: list[Sentence] = []
    section = 0
    for line in text.splitlines():
        heading = bool(_HEADING.match(line))
        section += heading
        plain = _MARKUP.sub("", _BULLET.sub("", line)).strip()
        found += [Sentence(said, section, heading) for said in sentences(plain)]
    return found


def cues(sentence: str) -> list[float]:
    """For each family whether the sentence has it, 0 or 1."""
    return [float(bool(pattern.search(sentence))) for pattern in FAMILIES.values()]


__all__ = ["FAMILIES", "Sentence", "cues", "read"]
