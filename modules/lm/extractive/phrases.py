"""Phrases that hold found sentences together; none of them asserts a fact.

``{topic}`` is a noun phrase, ``{clause}`` the proposition after "that", ``{denial}`` its denial,
``{s}`` a sentence without its capital.
"""

from __future__ import annotations

from typing import Final

# --- turns of a debate ------------------------------------------------------------------------

ANSWER_CRITIC: Final = (
    "The critic points to {topic}, and that deserves an answer.",
    "The critic rests the objection on {topic}.",
    "The critic has turned our attention to {topic}.",
    "The critic's concern with {topic} should be weighed against another.",
    "What the critic says about {topic} is not the whole of the matter.",
)
BUILD_ON_TEAMMATE: Final = (
    "My teammate spoke of {topic}, and I can add to that.",
    "To what my teammate said about {topic} I would add a further reason.",
    "I agree with my teammate about {topic}, and there is more.",
    "My teammate began with {topic}; I come to the same side by another road.",
)
ATTACK_TEAM: Final = (
    "The critic's answer to the team turns on {topic}.",
    "As the critic I must press the team on {topic}.",
    "As the critic I find the team's argument about {topic} incomplete.",
    "As the critic I ask the team to look again at {topic}.",
    "As the critic I doubt that {topic} can carry the team's case.",
)
NOTHING_NEW: Final = (
    "I have nothing new to add beyond what has been said{about}.",
    "I have nothing further to add to what has been said{about}.",
)
ADDITIONS: Final = (
    "Moreover, {s}",
    "In addition, {s}",
    "Furthermore, {s}",
    "Besides, {s}",
    "Equally, {s}",
    "What is more, {s}",
    "It should be added that {s}",
    "It is also argued that {s}",
)

# --- the essay's opening ----------------------------------------------------------------------

STATE_CLAUSE: Final = (
    "The proposition under discussion is that {clause}.",
    "The claim to be examined here is that {clause}.",
    "This essay takes up the proposition that {clause}.",
    "The view in question holds that {clause}.",
)
STATE_LINE: Final = (
    "The matter under discussion can be put in a few words: \u201c{line}\u201d.",
    "This essay takes up a contested matter: \u201c{line}\u201d.",
)
FAIRNESS: Final = (
    "It deserves to be heard in its strongest form before it is judged.",
    "A fair answer begins by asking what can be said on either side.",
    "There are serious reasons on both sides, and they ought to be weighed rather than counted.",
    "Neither side should be dismissed before its reasons have been heard.",
)
REFUTE: Final = (
    "Weighed with care, however, the evidence suggests that {denial}.",
    "The position taken here is that {denial}.",
    "This essay argues that {denial}.",
    "On balance, the better reasons lead to a different view: {denial}.",
)
REFUTE_BARE: Final = (
    "This essay argues against it.",
    "On balance, the better reasons speak against it.",
    "Weighed with care, the evidence comes down on the other side.",
)
SUPPORT: Final = (
    "This essay argues in its favour.",
    "The position taken here is that it is right.",
    "On balance, the better reasons speak for it.",
    "Weighed with care, the evidence comes down on its side.",
)
GROUND: Final = (
    "The ground on which that position stands is that {s}",
    "It rests on one thought above all: {s}",
    "Above all, {s}",
)
ROADMAP: Final = (
    "The argument turns on {topics}.",
    "The case rests above all on {topics}.",
    "What decides the matter is a set of considerations about {topics}.",
    "The discussion that follows looks in turn at {topics}.",
)

# --- its points -------------------------------------------------------------------------------

POINT_FIRST: Final = (
    "The first reason is that {s}",
    "To begin with, {s}",
    "In the first place, {s}",
    "The case begins with the observation that {s}",
)
POINT_MIDDLE: Final = (
    "A further reason is that {s}",
    "A second line of argument is that {s}",
    "It is no less important that {s}",
    "Another reason deserves equal weight: {s}",
    "Next, it must be considered that {s}",
)
POINT_LAST: Final = (
    "Finally, {s}",
    "A last reason is that {s}",
    "There remains the point that {s}",
    "To complete the case, {s}",
)
TOPIC_FIRST: Final = (
    "The first matter to consider is {topic}.",
    "The argument may begin with {topic}.",
    "Consider first {topic}.",
)
TOPIC_MIDDLE: Final = (
    "Next comes {topic}.",
    "{topic} must be weighed as well.",
    "A separate consideration is {topic}.",
    "From here the argument leads to {topic}.",
)
TOPIC_LAST: Final = (
    "There remains {topic}.",
    "The last consideration is {topic}.",
    "Finally, {topic} has to be taken into account.",
)
ESSAY_ADDITIONS: Final = (
    "Moreover, {s}",
    "In addition, {s}",
    "Furthermore, {s}",
    "Equally, {s}",
    "What is more, {s}",
    "It should be added that {s}",
    "It must also be borne in mind that {s}",
    "At the same time, {s}",
    "Besides, {s}",
    "It is also worth noting that {s}",
)
RELATIONS: Final = (
    "In the same vein, {s}",
    "A related observation is that {s}",
    "It should be remembered in this connection that {s}",
    "To this it may be added that {s}",
)

# --- acknowledgment and conclusion ------------------------------------------------------------

GRANT_OPEN: Final = (
    "The other side has a serious argument, and it should be stated plainly.",
    "An honest case has to face the strongest reason on the other side.",
    "There is, to be sure, something to be said on the other side.",
    "None of this means that the opposing view is without merit.",
)
GRANT: Final = (
    "That consideration deserves to be granted its weight.",
    "This is a real consideration, and nothing is gained by denying it.",
    "So much should be conceded without reserve.",
    "The point is a fair one and should not be brushed aside.",
)
ANSWER: Final = (
    "Even so, {s}",
    "Against this it must be said that {s}",
    "Yet it has to be set beside the fact that {s}",
    "It does not settle the matter, however, for {s}",
    "Nevertheless, {s}",
)
ANSWER_BARE: Final = (
    "Even so, it does not settle the matter.",
    "Yet there is an answer to it.",
    "It has to be set beside another consideration, however.",
)
CLOSE: Final = (
    "Taken together, {topics} point the same way.",
    "The argument has rested on {topics}.",
    "The reasons given here concern {topics}, and they reinforce one another.",
    "What has been said about {topics} forms a single case.",
)
CLOSE_BARE: Final = (
    "The reasons given here are independent of one another, and together they form a single case.",
    "None of these reasons stands alone, and together they point the same way.",
)
VERDICT_REFUTE: Final = (
    "For these reasons, {denial}.",
    "The fair conclusion is that {denial}.",
    "Having heard both sides, one may conclude that {denial}.",
    "It follows that {denial}.",
)
VERDICT_REFUTE_BARE: Final = (
    "For these reasons, the proposition should be turned down.",
    "The fair conclusion is that the proposition does not stand.",
    "The balance of reasons is therefore against the proposition.",
)
VERDICT_SUPPORT: Final = (
    "For these reasons, the proposition deserves support.",
    "The fair conclusion is that the proposition is right.",
    "Having heard both sides, one may conclude that the proposition stands.",
    "The balance of reasons therefore favours the proposition.",
)
LAST_WORD: Final = (
    "The concession made above remains true, but it does not outweigh the rest.",
    "The objection considered above should shape how the matter is handled, not which way it is "
    "decided.",
    "What was granted to the other side should be kept in mind, but it does not tip the balance.",
)
LAST_BARE: Final = (
    "Anyone who disagrees would have to answer all of these reasons, not merely one of them.",
    "Reasonable people will go on weighing these things differently, but the balance is clear "
    "enough to act on.",
)

__all__ = [name for name in dir() if name.isupper()]
