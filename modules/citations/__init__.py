"""Citations: from a writer's markers to references that hold.

The writer may mark any number; only those of the closed set survive, renumbered by first
appearance. Every cited sentence is then compared with the passage it cites.
"""

from modules.citations.check import CitationCheck
from modules.citations.figures import balance, references
from modules.citations.markers import MARKER, bare, markers, paragraphs, render
from modules.citations.support import Support, SupportCheck
from modules.vectors import Embedder

__all__ = [
    "MARKER",
    "CitationCheck",
    "Embedder",
    "Support",
    "SupportCheck",
    "balance",
    "bare",
    "markers",
    "paragraphs",
    "references",
    "render",
]
