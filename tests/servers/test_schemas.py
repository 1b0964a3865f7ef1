"""Instances of JSON schemas."""

from __future__ import annotations

from typing import Annotated, Any, Literal

import pydantic

from .lm import instance, words


class Branch(pydantic.BaseModel):
    label: Annotated[str, pydantic.Field(pattern=r"^[A-Z]{2}-\d{3}$")]
    children: list[Branch]
    parent: Branch | None


class Awkward(pydantic.BaseModel):
    step: Annotated[int, pydantic.Field(gt=4, le=9, multiple_of=4)]
    tiny: Annotated[float, pydantic.Field(gt=0, lt=0.001)]
    below: Annotated[float, pydantic.Field(le=-3)]
    long: Annotated[str, pydantic.Field(min_length=80, max_length=90)]
    short: Annotated[str, pydantic.Field(max_length=5)]
    single: Annotated[list[str], pydantic.Field(max_length=1)]
    chosen: set[Literal["a", "b", "c"]]
    pair: tuple[int, str]
    counts: dict[str, int]
    nothing: None
    branch: Branch
    anything: Any


def test_instances_are_valid() -> None:
    schema = Awkward.model_json_schema()
    made = Awkward.model_validate(instance(schema, "key"))
    assert instance(schema, "key") == instance(schema, "key") != instance(schema, "other")
    assert len(made.single) == 1 and len(made.chosen) == 2 and len(made.counts) == 1


def test_instance_of_bare_schemas() -> None:
    assert instance({"const": 4}, "k") == 4
    assert instance({"enum": [None, "b"]}, "k") == "b"
    assert instance({"type": ["null", "boolean"]}, "k") is True
    assert instance({"type": "null"}, "k") is None
    assert instance({"oneOf": [{"type": "null"}, {"type": "integer", "minimum": 7}]}, "k") in range(
        7, 17
    )
    merged = {"allOf": [{"properties": {"a": {"const": 1}}}, {"properties": {"b": {"const": 2}}}]}
    assert instance(merged, "k") == {"a": 1, "b": 2}
    assert instance({"type": "array", "items": {}, "maxItems": 0}, "k") == []
    assert words("a") == words("a") != words("b")
