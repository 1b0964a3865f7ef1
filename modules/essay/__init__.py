"""Essay methods: how the stages are put together (S1 section 2).

A method is a plain object with one verb, ``write``; it calls its stages through the ``step`` it
is given and knows nothing of flows, files or tracking. :func:`best_of` writes several samples
within a budget of tokens and takes the one a judge prefers (self-consistency).
"""

from modules.essay.ablations import DebateNoCritic, PersonaNoDebate, PersonaNoDebateProgram
from modules.essay.agent_debate import AgentDebateMethod, AgentDebateProgram
from modules.essay.americano import Americano, AmericanoProgram
from modules.essay.e2e import EndToEnd, EndToEndProgram
from modules.essay.method import EssayMethod, EssayParts
from modules.essay.persona_debate import PersonaDebate, PersonaDebateProgram
from modules.essay.plan_write import PlanThenWrite, PlanThenWriteProgram
from modules.essay.samples import Best, EssayJudge, best_of
from modules.essay.settings import (
    CitationSettings,
    DebateSettings,
    EssaySettings,
    PlanSettings,
    PoolSettings,
    RecallSettings,
    WritingSettings,
)

__all__ = [
    "AgentDebateMethod",
    "AgentDebateProgram",
    "Americano",
    "AmericanoProgram",
    "Best",
    "CitationSettings",
    "DebateNoCritic",
    "DebateSettings",
    "EndToEnd",
    "EndToEndProgram",
    "EssayJudge",
    "EssayMethod",
    "EssayParts",
    "EssaySettings",
    "PersonaDebate",
    "PersonaDebateProgram",
    "PersonaNoDebate",
    "PersonaNoDebateProgram",
    "PlanSettings",
    "PlanThenWrite",
    "PlanThenWriteProgram",
    "PoolSettings",
    "RecallSettings",
    "WritingSettings",
    "best_of",
]
