"""SelectTeam: the candidates who are least like one another."""

from __future__ import annotations

import random
from collections.abc import Mapping
from typing import Any

from modules.lm.extractive.chance import Deck
from modules.lm.extractive.inputs import Voice, no_evidence, voices
from modules.lm.extractive.themes import Theme, ranked
from modules.lm.extractive.words import Weights, stems

_JITTER = 0.1  # candidates closer than this in merit may change places

_OWN_THEME = (
    "Brings in {theme}, which no other member of the team speaks for.",
    "Adds {theme} to the case, where the others start from different concerns.",
    "Alone on the team in arguing from {theme}.",
    "Widens the case to {theme}, which would otherwise be missing.",
    "Gives the team a voice on {theme} that it would lack without this persona.",
)
_SHARED_THEME = (
    "Looks at {theme} as {role} would, which the others cannot do.",
    "Adds the view of {role} to a shared concern with {theme}.",
)
_NO_THEME = (
    "Adds the view of {role}, which none of the others can give.",
    "Speaks as {role} and so rounds off what the others say.",
)


def select_team(inputs: Mapping[str, Any], rng: random.Random) -> dict[str, Any]:
    """Exactly ``team_size`` different candidates, best first; all where there are fewer."""
    candidates = voices(inputs["candidates"])
    if not candidates:
        raise no_evidence("no candidate to choose from")
    chosen = _spread(candidates, stems(inputs["proposition"]), inputs["team_size"], rng)
    return {"choices": _reasons(chosen, stems(inputs["proposition"]), rng)}


def _spread(
    candidates: list[Voice], subject: frozenset[str], size: int, rng: random.Random
) -> list[Voice]:
    """Greedy max-min: each next member is the one farthest from all chosen so far."""
    words = {v.id: stems(v.claim) for v in candidates}
    weights = Weights(words.values())
    luck = {v.id: rng.uniform(0, _JITTER) for v in candidates}
    themes = {v.id: _theme_names(v, subject)[:1] for v in candidates}
    merit = {v.id: 0.5 * weights.cosine(words[v.id], subject) + luck[v.id] for v in candidates}
    chosen: list[Voice] = []
    while len(chosen) < min(size, len(candidates)):
        left = [v for v in candidates if v not in chosen]

        def distance(voice: Voice) -> float:
            near = [weights.cosine(words[voice.id], words[c.id]) for c in chosen]
            same = [0.4 * (themes[voice.id] == themes[c.id]) for c in chosen]
            return merit[voice.id] - max(near, default=0.0) - max(same, default=0.0)

        chosen.append(max(left, key=distance))
    return chosen


def _theme_names(voice: Voice, subject: frozenset[str]) -> list[str]:
    return [theme.name for theme in _themes(voice, subject)]


def _themes(voice: Voice, subject: frozenset[str]) -> list[Theme]:
    return ranked(stems(voice.claim), subject)


def _reasons(
    chosen: list[Voice], subject: frozenset[str], rng: random.Random
) -> list[dict[str, str]]:
    """One sentence for each member, on the theme that it alone touches where there is one."""
    from modules.lm.extractive.prose import article

    own, shared, bare = Deck(_OWN_THEME, rng), Deck(_SHARED_THEME, rng), Deck(_NO_THEME, rng)
    reasons = []
    for voice in chosen:
        others = {n for v in chosen if v is not voice for n in _theme_names(v, subject)}
        themes = _themes(voice, subject)
        alone = next((t for t in themes if t.name not in others), None)
        theme = alone or next(iter(themes), None)
        deck = bare if theme is None else own if alone else shared
        role = article(voice.title[:1].lower() + voice.title[1:])
        phrase = f"the question of {theme.phrase}" if theme else ""
        reasons.append({"id": voice.id, "reason": deck.draw().format(theme=phrase, role=role)})
    return reasons


__all__ = ["select_team"]
