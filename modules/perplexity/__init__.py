"""How likely a causal LM finds texts: what P.D. is made of (S4 section 4)."""

from modules.perplexity.specs import EvaluatorSpec, LocalEvaluatorSpec, ServerEvaluatorSpec
from modules.perplexity.types import Evaluator, Part, Reading

__all__ = [
    "Evaluator",
    "EvaluatorSpec",
    "LocalEvaluatorSpec",
    "Part",
    "Reading",
    "ServerEvaluatorSpec",
]
