"""What an evaluator is asked after an answer, before a partial answer follows (S4 Equation 1)."""

from __future__ import annotations

RESTATEMENTS = (
    "Please restate.",
    "Say the above again in other words.",
    "Please put this answer differently, leaving nothing out.",
    "Rephrase every view that was given above.",
    "Repeat the points just made, one after the other.",
    "Tell me once more what was said.",
)
"""0 is the paper's own; 1 to 5 are for the study of its stability (S4 section 5.2)."""

__all__ = ["RESTATEMENTS"]
