"""Whether a text says that people disagree on its question."""

from modules.dispute.detector import Dispute, DisputeModel, fitted

__all__ = ["Dispute", "DisputeModel", "fitted"]
