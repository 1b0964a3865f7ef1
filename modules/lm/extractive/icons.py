"""One emoji per role or theme, looked up by the words of a title."""

from __future__ import annotations

import re
from typing import Final

from modules.lm.extractive.themes import main_theme
from modules.lm.extractive.words import stems

DEFAULT: Final = "🗣️"

#: First match wins; keys are stems of title words, so that order is from special to general.
ICONS: Final[tuple[tuple[str, str], ...]] = (
    ("veterinar|vet$", "🐕"), ("animal", "🐾"),
    ("museum|curator|conservator|gallery|heritage", "🏛️"),
    ("election|voter|ballot|poll", "🗳️"), ("taxpayer|finance|budget|treasur", "💰"),
    ("economist|economic", "📈"), ("employer|business|company|shopkeeper|retailer|trader", "🏪"),
    ("union|worker$|labourer|employee", "🛠️"), ("jobseeker|unemployed", "📋"),
    ("pupil|student|undergraduate|learner", "🎒"), ("teacher|educator|tutor|school", "🍎"),
    ("lecturer|professor|academic|scholar|graduate|principal", "🎓"),
    ("child|baby|youngster", "🧒"), ("teenager|adolescent|youth|young", "🧑"),
    ("mother|father|parent|famil|spouse|couple", "👪"), ("carer|caregiver|volunteer", "🫶"),
    ("nurse|doctor|physician|surgeon|clinician|medical|dentist|therapist|pharmacist", "🩺"),
    ("patient|disabled|blind|deaf", "🏥"), ("scientist|researcher|laborator|chemist", "🔬"),
    ("engineer|technician|programmer|developer|computer|technology|software", "💻"),
    ("lawyer|judge|magistrate|legal|court|prosecutor|juror", "⚖️"),
    ("police|officer of the law|detective|guard|security", "🚓"),
    ("soldier|veteran|army|military", "🎖️"), ("prisoner|inmate|offender", "🚪"),
    ("minister|legislator|lawmaker|politician|parliament|councillor|mayor|candidate", "🏢"),
    ("official|civil servant|administrator|clerk|public servant|bureaucrat|authorit", "🗂️"),
    ("journalist|editor|reporter|writer|author|publisher", "📰"),
    ("artist|musician|painter|actor|performer|singer", "🎨"), ("historian", "📚"),
    ("regulator|inspector|auditor|analyst", "🔎"), ("librarian|reader", "📖"),
    ("tourist|visitor|traveller", "🧳"),
    ("farmer|fisher|agricultur", "🌾"), ("environment|conservation|climate", "🌍"),
    ("driver|motorist|commuter|passenger|transport", "🚌"), ("cyclist", "🚲"),
    ("athlete|player|coach|sport", "🏅"), ("priest|faith|religio|church|parish", "🛐"),
    ("pensioner|retired|elder|older|retiree|senior", "🧓"),
    ("tenant|landlord|homeowner|house", "🏠"),
    ("immigrant|migrant|refugee|foreign|development", "🌐"),
    ("consumer|customer|shopper|buyer", "🛒"),
    ("smoker|drinker", "🚬"), ("director|manager|executive|head$", "💼"),
    ("citizen|resident|villager|neighbour|local|community", "🏘️"), ("philosopher", "💭"),
    ("investor|banker|lender|creditor", "🏦"), ("activist|campaigner|advocate", "📣"),
)  # fmt: skip


def icon(title: str, claim: str) -> str:
    """The emoji for a role, by its title, else by the theme of its claim."""
    low = title.lower()
    for pattern, emoji in ICONS:
        if re.search(rf"\b(?:{pattern})", low):
            return emoji
    theme = main_theme(stems(claim))
    return theme.emoji if theme is not None else DEFAULT


__all__ = ["DEFAULT", "ICONS", "icon"]
