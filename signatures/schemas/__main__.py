"""``python -m signatures.schemas`` writes the shipped schemas anew."""

from signatures.schemas import write

write()
