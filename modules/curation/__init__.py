"""Building a dataset of debatable questions from evidence (S4 section 3, algorithm 1)."""

from modules.curation.duplicates import Duplicate, without_duplicates
from modules.curation.pipeline import Curator
from modules.curation.settings import CurationSettings

__all__ = ["CurationSettings", "Curator", "Duplicate", "without_duplicates"]
