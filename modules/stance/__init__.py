"""One stance model: which side of a claim a text takes, and how surely."""

from modules.stance.model import StanceModel, StanceOdds, stance_model

__all__ = ["StanceModel", "StanceOdds", "stance_model"]
