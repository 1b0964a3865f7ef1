"""The roundtable (S0): personas debate a topic in turns, each turn backed by evidence."""

from modules.roundtable.listener import Listener, silent
from modules.roundtable.program import NOTHING, Roundtable, RoundtableParts
from modules.roundtable.settings import RoundtableSettings, SourceSettings, TableSettings

__all__ = [
    "NOTHING",
    "Listener",
    "Roundtable",
    "RoundtableParts",
    "RoundtableSettings",
    "SourceSettings",
    "TableSettings",
    "silent",
]
