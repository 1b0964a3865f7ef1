"""Changes to a sentence by rule: those that keep what it says, and those that do not."""

from __future__ import annotations

import random
import re
from collections.abc import Sequence

_SYNONYMS = {
    "big": "large", "large": "sizeable", "help": "aid", "helps": "aids", "show": "indicate",
    "shows": "indicates", "people": "persons", "children": "kids", "often": "frequently",
    "start": "begin", "needs": "requires", "buy": "purchase", "many": "numerous",
    "important": "significant", "problem": "difficulty", "problems": "difficulties",
    "however": "still", "because": "since", "although": "though", "while": "whereas",
    "government": "state", "money": "funds", "using": "employing",
    "job": "post", "jobs": "posts", "difficult": "hard", "dangerous": "hazardous",
    "country": "nation", "countries": "nations", "argue": "contend", "give": "provide",
    "gives": "provides", "get": "obtain", "would like": "wish", "enough": "sufficient",
    "students": "pupils", "causes": "brings about",
    "keep": "retain",
    "stop": "halt", "think": "believe", "therefore": "hence",
    "thus": "so", "allow": "let", "allows": "lets", "illness": "sickness", "choose": "pick",
    "entire": "complete", "whole": "full", "rich": "wealthy", "poor": "needy",
    "doctors": "physicians",
    "cars": "automobiles", "company": "firm", "companies": "firms", "house": "home",
    "law": "statute",
    "laws": "statutes", "death": "demise", "killed": "slain", "fast": "quick", "end": "finish",
}  # fmt: skip
_OPPOSITES = {
    "increase": "decrease", "increases": "decreases", "increased": "decreased", "more": "fewer",
    "rise": "fall", "higher": "lower", "lower": "higher", "better": "worse", "worse": "better",
    "good": "bad", "bad": "good", "safe": "risky", "dangerous": "harmless", "legal": "unlawful",
    "illegal": "lawful", "improve": "worsen", "improves": "worsens", "reduce": "raise",
    "reduces": "raises", "reduced": "raised", "success": "failure", "successful": "futile",
    "support": "resist", "supports": "resists", "easy": "difficult", "difficult": "easy",
    "rich": "destitute", "poor": "affluent", "benefit": "damage", "benefits": "damages",
    "harm": "benefit", "harmful": "wholesome", "strong": "feeble", "weak": "powerful",
    "allow": "prohibit", "allowed": "prohibited", "true": "untrue", "right": "mistaken",
    "necessary": "superfluous", "cheap": "costly", "expensive": "inexpensive", "always": "seldom",
    "never": "regularly", "majority": "minority", "created": "destroyed", "create": "destroy",
    "effective": "useless", "healthy": "sickly", "possible": "inconceivable", "free": "enslaved",
    "positive": "adverse", "negative": "favourable", "win": "lose", "save": "squander",
    "protect": "endanger", "protects": "endangers", "encourage": "deter", "encourages": "deters",
}  # fmt: skip
_STRONGER = {
    "some": "all", "many": "all", "most": "all", "several": "all", "few": "most", "often": "always",
    "sometimes": "always", "usually": "invariably", "may": "will", "might": "will", "could": "will",
    "can": "must", "likely": "certain", "possibly": "certainly", "probably": "undoubtedly",
    "perhaps": "surely", "suggests": "proves", "suggest": "prove", "generally": "without exception",
    "rarely": "frequently", "occasionally": "constantly", "tend to": "always", "partly": "wholly",
}  # fmt: skip
_EXCESSES = (
    (r"\b(is|are|was|were) (?!not\b)(a|an) ", r"\1 by far the greatest "),
    (r"\b(reduces?|lowers?|limits?|decreases?)\b", "wipes out"),
    (r"\b(increases?|raises?|improves?)\b", "multiplies tenfold"),
    (r"\b(helps?|benefits?|supports?)\b", "saves outright"),
    (r"\b(harms?|hurts?|damages?)\b", "utterly ruins"),
    (r"\b(can|may|might|could) (\w+)\b", r"is guaranteed to \2"),
    (r"\b(important|useful|necessary|significant)\b", "absolutely indispensable"),
    (r"\b(difficult|hard|costly|expensive)\b", "downright impossible"),
    (r"\b(a number of|many|several|some)\b", "countless millions of"),
    (r"\b(a|one) (factor|reason|cause|part) ", "the sole cause "),
    (r"\b(problem|concern|issue|risk)\b", "catastrophe"),
)
_VERB = (
    r"(?:causes?|reduces?|increases?|harms?|helps?|threatens?|protects?|supports?|kills?|attacks?|"
    r"affects?|needs?|creates?|produces?|controls?|influences?|pays? for|depends? on|leads? to|"
    r"outweighs?|exceeds?|follows?|destroys?|benefits?|replaces?|prevents?|undermines?|encourages?|"
    r"drives?|promotes?|improves?|defeated|killed|invaded|attacked|criticized|opposed|persuaded|"
    r"(?:is|are|was|were) (?:\w+er|more \w+|less \w+) than)"
)
_PART = r"(?:[\w'’-]+ ){0,4}[\w'’-]+"
_ROLES = re.compile(rf"^({_PART}) ({_VERB}) ({_PART})([.,;].*)?$")
_FRAMES = (
    "Supporters point out that {s}", "It is said that {s}", "As one source puts it, {s}",
    "Moreover, {s}", "On this view, {s}", "There is also the fact that {s}",
)  # fmt: skip
_NAME = re.compile(r"(?<=[a-z,;] )[A-Z][a-z]{2,}(?: [A-Z][a-z]{2,})*\b")
_NUMBER = re.compile(r"(?<![\w.,])\d[\d,]*(?:\.\d+)?(?![\w])")
_NUMERALS = ("two", "three", "four", "five", "six", "seven", "eight", "nine", "ten", "twelve")
_AUXILIARY = re.compile(
    r"\b(is|are|was|were|can|could|will|would|should|must|may|might|has|have|had|does|do|did)\b"
    r"(?! not\b|n't)"
)
_LOWERABLE = re.compile(
    r"(?:The|This|These|Those|It|There|In|If|When|A|An|Many|Some|Most|They|We|People|Such|For)\b"
)


def usable(sentence: str) -> bool:
    """A statement of ordinary length."""
    return (
        7 <= len(sentence.split()) <= 40
        and sentence[0].isupper()
        and sentence.endswith(".")
        and not re.search(r"https?:|www\.|[?!(){}|]", sentence)
    )


def statement(claim: str) -> bool:
    """A claim in a sentence of its own, not a heading or a question."""
    return len(claim.split()) > 5 and claim.strip()[-1] not in ":?…" and "..." not in claim


def names(sentence: str) -> list[str]:
    """Capitalised words inside the sentence."""
    return _NAME.findall(sentence)


def _lowered(sentence: str) -> str:
    if not _LOWERABLE.match(sentence):
        return sentence
    return sentence[0].lower() + sentence[1:]


def _raised(sentence: str) -> str:
    return sentence[:1].upper() + sentence[1:]


def _replaced(sentence: str, old: str, new: str) -> str:
    fitted = (
        new if sentence[:1].islower() or not sentence.startswith(_raised(old)) else _raised(new)
    )
    return re.sub(rf"\b{re.escape(old)}\b", fitted, sentence, count=1, flags=re.IGNORECASE)


def _present(sentence: str, table: dict[str, str]) -> list[str]:
    low = sentence.lower()
    return [word for word in table if re.search(rf"\b{re.escape(word)}\b", low)]


# --- what keeps the meaning -------------------------------------------------------------------


def framed(sentence: str, rng: random.Random) -> str:
    """The sentence, half of the time behind an introduction."""
    if rng.random() < 0.5 or not _LOWERABLE.match(sentence):
        return sentence
    return rng.choice(_FRAMES).format(s=_lowered(sentence))


def reworded(sentence: str, rng: random.Random) -> str | None:
    """Synonyms, clauses moved or dropped, spelling changed; None if too little can be done."""
    text = _moved(_dropped(sentence))
    steps = int(text != sentence)
    present = _present(text, _SYNONYMS)
    for word in rng.sample(present, min(3, len(present))):
        text = _replaced(text, word, _SYNONYMS[word])
        steps += 1
    spelled = _respelled(text)
    steps += spelled != text
    return framed(spelled, rng) if steps >= 2 else None


def _dropped(sentence: str) -> str:
    """Without an opening phrase or an aside."""
    text = re.sub(
        r"^(?:However|Moreover|Therefore|Thus|Furthermore|In addition|For example|In fact|"
        r"Indeed|Of course|First|Second|Finally|Also|Additionally|Clearly), ", "", sentence,
    )  # fmt: skip
    text = re.sub(r", (?:which|who) [^,.]{5,60},", "", text)
    return _raised(text)


def _moved(sentence: str) -> str:
    """With a subordinate clause at the other end."""
    if found := re.fullmatch(r"(If|When|Because|Although|While) ([^,]+), ([^,]+)\.", sentence):
        return _raised(f"{found[3]} {found[1].lower()} {found[2]}.")
    if found := re.fullmatch(r"([^,]{15,}) (because|if|when|although) ([^,]{10,})\.", sentence):
        return f"{_raised(found[2])} {found[3]}, {_lowered(found[1])}."
    if found := re.fullmatch(r"(In [\w ]{3,30}), (.{20,})\.", sentence):
        return _raised(f"{found[2]} {found[1][0].lower()}{found[1][1:]}.")
    return sentence


def _respelled(sentence: str) -> str:
    """Contractions opened, per cent and small numbers spelled another way."""
    text = re.sub(r"(\d) ?%", r"\1 percent", sentence)
    text = re.sub(r"\b(do|does|did|is|are|was|were|has|have|would|should|could)n['’]t\b",
                  r"\1 not", text)  # fmt: skip
    text = re.sub(r"\bcan['’]t\b", "cannot", text)
    return re.sub(r"\b(\d),(\d{3})\b", r"\1\2", text)


def merged(one: str, other: str, rng: random.Random) -> str:
    """Two sentences as one."""
    joint = rng.choice((", and ", "; ", ", while "))
    return f"{one.rstrip('.')}{joint}{_lowered(other)}"


# --- what changes it --------------------------------------------------------------------------


def negated(sentence: str, rng: random.Random) -> str | None:
    """The main verb denied, or its denial taken away."""
    if re.search(r"\b(?:not|never|no longer)\b|n['’]t\b", sentence):
        text = re.sub(r"\bcan['’]t\b", "can", sentence, count=1)
        if text != sentence:
            return text
        return re.sub(r" (?:not|never|no longer)\b|n['’]t\b", "", sentence, count=1)
    if "cannot" in sentence:
        return sentence.replace("cannot", "can", 1)
    found = list(_AUXILIARY.finditer(sentence))
    if not found:
        return None
    verb = found[0]
    form = rng.choice((f"{verb[0]} not", f"{verb[0]} not", f"{verb[0]} never", f"{verb[0]} hardly"))
    return sentence[: verb.start()] + form + sentence[verb.end() :]


def opposed(sentence: str, rng: random.Random) -> str | None:
    """One word replaced by its opposite."""
    present = _present(sentence, _OPPOSITES)
    if not present:
        return None
    word = rng.choice(present)
    return _replaced(sentence, word, _OPPOSITES[word])


def renumbered(sentence: str, rng: random.Random) -> str | None:
    """One number replaced by another of its kind."""
    found = [*_NUMBER.finditer(sentence)]
    if found:
        number = rng.choice(found)
        plain = float(number[0].replace(",", ""))
        year = number[0].isdigit() and 1500 < plain < 2100
        new = plain + rng.choice((-7, -3, 4, 11)) if year else plain * rng.choice((0.3, 0.6, 2, 5))
        text = f"{new:.1f}" if "." in number[0] else f"{max(1, round(new)):d}"
        if text == number[0]:
            text = f"{round(new) + 13:d}"
        return sentence[: number.start()] + text + sentence[number.end() :]
    spelled = [w for w in _NUMERALS if re.search(rf"\b{w}\b", sentence)]
    if not spelled:
        return None
    word = rng.choice(spelled)
    other = rng.choice([w for w in _NUMERALS if w != word])
    return re.sub(rf"\b{word}\b", other, sentence, count=1)


def renamed(sentence: str, known: Sequence[str], rng: random.Random) -> str | None:
    """One name replaced by one of another text."""
    present = names(sentence)
    if not present:
        return None
    name = rng.choice(present)
    new = rng.choice([n for n in known if not set(n.split()) & set(sentence.split())])
    return sentence.replace(name, new, 1)


def strengthened(sentence: str, rng: random.Random) -> str | None:
    """A quantity, frequency or possibility turned into a stronger one."""
    present = _present(sentence, _STRONGER)
    if not present:
        return None
    word = rng.choice(present)
    return _replaced(sentence, word, _STRONGER[word])


def exaggerated(sentence: str, rng: random.Random) -> str | None:
    """Something measured turned into something extreme."""
    fitting = [(old, new) for old, new in _EXCESSES if re.search(old, sentence)]
    if not fitting:
        return None
    old, new = rng.choice(fitting)
    return re.sub(old, new, sentence, count=1)


def swapped(sentence: str) -> str | None:
    """Doer and done-to in each other's place."""
    found = _ROLES.match(sentence)
    if found is None:
        return None
    return _raised(f"{found[3]} {found[2]} {_lowered(found[1])}{found[4] or '.'}")
