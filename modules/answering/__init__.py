"""Answer methods: how a question is answered from evidence (S4), in one call or by perspectives.

A method is a plain object with one verb, ``write``; it calls its stages through the ``step`` it
is given and knows nothing of flows, files or tracking.
"""

from modules.answering.direct import Basic, Comprehensive, Detailed
from modules.answering.method import AnswerMethod, AnswerParts, Retrieval
from modules.answering.perspectives import Perspectives, PerspectivesProgram
from modules.answering.program import AnswerProgram
from modules.answering.settings import AnswerRecall, AnswerSettings

__all__ = [
    "AnswerMethod",
    "AnswerParts",
    "AnswerProgram",
    "AnswerRecall",
    "AnswerSettings",
    "Basic",
    "Comprehensive",
    "Detailed",
    "Perspectives",
    "PerspectivesProgram",
    "Retrieval",
]
