"""What the baseline's personas say about the debate itself; every phrase begins like no other."""

from __future__ import annotations

from typing import Final

STAND: Final[dict[str, tuple[str, ...]]] = {
    "for": (
        "From where I stand the reasons in favour weigh more.",
        "I speak in favour, for the reasons that follow.",
        "That is why I am on the side of those who would do it.",
    ),
    "against": (
        "From where I stand the reasons against weigh more.",
        "I speak against it, for the reasons that follow.",
        "That is why I am on the side of those who would not do it.",
    ),
    "neutral": (
        "I take no side here; these are things that both sides have to weigh.",
        "I leave the verdict to others and name what has to be considered.",
    ),
}
ANSWER: Final = (
    "I have listened to the {name} on {topic}.",
    "Let me take up what the {name} said about {topic}.",
    "On {topic} the {name} has given us something to think about.",
    "With the {name} I think that {topic} matters, and I would add to it.",
)
ANSWER_BARE: Final = (
    "I have listened to the {name}.",
    "Let me take up what the {name} said.",
)
_BEGINNINGS: Final = (
    *(phrase for deck in STAND.values() for phrase in deck),
    "I have listened to the ",
    "Let me take up what the ",
    "With the ",
    "I have nothing ",
)


def is_talk(sentence: str) -> bool:
    """Whether a sentence speaks about the debate rather than about its topic."""
    return sentence.startswith(_BEGINNINGS) or "has given us something to think about" in sentence


__all__ = ["ANSWER", "ANSWER_BARE", "STAND", "is_talk"]
