"""What the engine answers a reflector's calls: it invents no instruction.

Asked to revise an instruction, it joins to it what the feedback says most often; asked to make one
up, it gives back the best it was shown. It does not read instructions when it answers, so neither
makes its own answers better or worse: on this engine an honest search finds no improvement.
"""

from __future__ import annotations

import random
import re
from collections import Counter
from collections.abc import Mapping
from typing import Any

MOST = 3
"""Lines of feedback that are joined to an instruction."""

Inputs = Mapping[str, Any]


def revise_instruction(inputs: Inputs, rng: random.Random) -> dict[str, Any]:
    """The instruction, and after it the kinds of fault that the feedback names most often."""
    seen: Counter[str] = Counter()
    for attempt in inputs["attempts"]:
        kinds = {line.split(":")[0].strip() for line in str(attempt["feedback"]).splitlines()}
        seen.update(kind for kind in kinds if kind and not re.search(r"\d", kind))
    said = [kind for kind, _ in sorted(seen.items(), key=lambda pair: (-pair[1], pair[0]))]
    instruction = str(inputs["instruction"])
    new = [f"Avoid: {kind}." for kind in said if f"Avoid: {kind}." not in instruction][:MOST]
    return {"revised": "\n".join([instruction, *new])}


def keep_instruction(inputs: Inputs, rng: random.Random) -> dict[str, Any]:
    """COPRO's first question: the instruction as it is."""
    return _proposed(str(inputs["basic_instruction"]))


def keep_best_attempt(inputs: Inputs, rng: random.Random) -> dict[str, Any]:
    """COPRO's later questions: the last of the attempts, which come in order of their scores."""
    attempts = inputs["attempted_instructions"]
    lines = attempts if isinstance(attempts, list) else [str(attempts)]
    found = [re.sub(r"^Instruction #\d+: ", "", x) for x in lines if x.startswith("Instruction #")]
    return _proposed(found[-1] if found else str(attempts))


def keep_module_instruction(inputs: Inputs, rng: random.Random) -> dict[str, Any]:
    """MIPROv2's question: the instruction as it is."""
    return {"proposed_instruction": str(inputs["basic_instruction"])}


def describe_examples(inputs: Inputs, rng: random.Random) -> dict[str, Any]:
    """What MIPROv2 asks of the data: the examples' own beginning."""
    return {"observations": str(inputs["examples"])[:300]}


def nothing_to_add(inputs: Inputs, rng: random.Random) -> dict[str, Any]:
    """No further observations."""
    return {"observations": "COMPLETE"}


def summarize_observations(inputs: Inputs, rng: random.Random) -> dict[str, Any]:
    """The observations as they are."""
    return {"summary": str(inputs["observations"])[:300]}


def no_advice(inputs: Inputs, rng: random.Random) -> dict[str, Any]:
    """SIMBA's question: no advice."""
    return {"discussion": "the extractive baseline does not compare", "module_advice": {}}


def _proposed(instruction: str) -> dict[str, Any]:
    return {"proposed_instruction": instruction, "proposed_prefix_for_output_field": ""}
