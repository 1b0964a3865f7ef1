"""Telling subject and overrides apart, and carrying any subject through Hydra unharmed."""

from __future__ import annotations

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from flows.arguments import quoted, split
from signatures.errors import ConfigError, InputError
from tests.support import composed

HARD = 'Is it right, really? "Yes" = 50% of $5 {braces} [x], 日本語 …'


@settings(max_examples=60, deadline=None)
@given(st.text(min_size=1, max_size=60).filter(lambda s: s.strip()))
@example(HARD)
@example("it's a 'quoted' \\' thing")
@example("ends in backslashes \\\\")
@example("${oc.env:HOME} and \\${not} and $${twice}")
@example("key=value,other=1")
@example("null")
@example("0x1f")
@example("café ​ zero width")
def test_any_subject_survives_hydra(subject: str) -> None:
    text = subject.encode("utf-8", "ignore").decode()
    assert composed("essay", quoted(text))["subject"] == text


@pytest.mark.parametrize(
    ("words", "subject", "rest"),
    [
        (["A claim"], "A claim", []),
        (["A claim", "stance=support"], "A claim", ["stance=support"]),
        (["stance=support"], None, ["stance=support"]),
        (["debate.max_rounds=1"], None, ["debate.max_rounds=1"]),
        (["backend@roles.judge=openai"], None, ["backend@roles.judge=openai"]),
        (["hydra/launcher=joblib", "-m"], None, ["hydra/launcher=joblib", "-m"]),
        (["+extra=1"], None, ["+extra=1"]),
        (["x=5"], "x=5", []),
        (["E = mc2"], "E = mc2", []),
        (["--", "stance=support"], "stance=support", []),
        (["-m", "A claim", "seed=1,2"], "A claim", ["-m", "seed=1,2"]),
        (["--cfg", "job"], None, ["--cfg", "job"]),
        (["--cfg", "job", "A claim"], "A claim", ["--cfg", "job"]),
        (["--help"], None, ["--help"]),
        (["stance"], "stance", []),
        (["-5 degrees is cold"], "-5 degrees is cold", []),
        ([HARD], HARD, []),
    ],
)
def test_split(words: list[str], subject: str | None, rest: list[str]) -> None:
    assert split("essay", words) == (subject, rest)


def test_a_misspelt_option_is_not_taken_for_a_subject() -> None:
    with pytest.raises(ConfigError, match="debate"):
        split("essay", ["debat.max_rounds=2"])


def test_nothing_after_the_dashes() -> None:
    with pytest.raises(InputError):
        split("essay", ["--"])
