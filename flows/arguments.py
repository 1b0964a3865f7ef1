"""From a shell's words to Hydra's: which word is the subject, and how to quote it.

Only the standard library and PyYAML are imported here: this runs before anything heavy.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from difflib import get_close_matches
from functools import cache
from pathlib import Path
from typing import Any, NamedTuple

from signatures.errors import ConfigError, InputError

CONF = Path(__file__).resolve().parent.parent / "conf"

OVERRIDE = re.compile(r"(?P<sign>\+\+|\+|~)?(?P<key>[A-Za-z_][\w./@-]*)(?P<value>=.*)?", re.DOTALL)

TAKES_VALUE = {
    "--cfg", "-c", "--package", "-p", "--config-path", "-cp", "--config-name", "-cn",
    "--config-dir", "-cd", "--info", "-i", "--experimental-rerun",
}  # fmt: skip
"""Hydra's flags that are followed by a value."""

FLAGS = TAKES_VALUE | {
    "--help", "-h", "--hydra-help", "--version", "--resolve", "--run", "-r", "--multirun", "-m",
    "--shell-completion", "-sc",
}  # fmt: skip
"""Hydra's flags."""

FLAG = re.compile(r"-{1,2}[A-Za-z][\w-]*(=.*)?")

MAX_SUBJECT = 2000
"""Characters. Longer texts are documents, and belong in the index."""


class Words(NamedTuple):
    """A command line told apart: the subject, if one was given, and Hydra's own words."""

    subject: str | None
    rest: list[str]


def split(flow: str, words: list[str]) -> Words:
    """Find the subject: the first word that is no flag and no override of an existing key.

    Raises:
        ConfigError: The first word looks like a misspelt option.
    """
    rest = list(words)
    if "--" in rest:
        at = rest.index("--")
        if at + 1 >= len(rest):
            raise InputError("nothing follows --", expected="the subject")
        subject = _wanted(flow, rest[at + 1])
        return Words(subject, rest[:at] + rest[at + 2 :])
    index = _first_positional(rest)
    if index is None or is_override(flow, rest[index]):
        return Words(None, rest)
    return Words(_wanted(flow, rest.pop(index)), rest)


def _wanted(flow: str, subject: str) -> str:
    if "subject" in keys(flow):
        return subject
    raise ConfigError(
        f"moot {flow} takes no subject",
        expected="key=value",
        got=repr(subject)[:80],
        remedy=f"moot {flow} --help shows the options",
    )


def is_override(flow: str, word: str) -> bool:
    """Whether ``word`` overrides an existing key of the flow's configuration.

    Raises:
        ConfigError: It has the shape of an override, and its key is nearly an existing one.
    """
    match = OVERRIDE.fullmatch(word)
    if match is None or not (match["value"] or match["sign"] == "~"):
        return False
    known = keys(flow)
    top = re.split(r"[./@]", match["key"])[0]
    if top in known or match["sign"]:
        return True
    nearest = get_close_matches(top, sorted(known), n=3, cutoff=0.7)
    if nearest and " " not in word:
        raise ConfigError(
            f"moot {flow} has no option {match['key']!r}",
            remedy=f"did you mean {', '.join(nearest)}? Put -- before it if it is the subject",
        )
    return False


@cache
def keys(flow: str) -> frozenset[str]:
    """The top-level keys and groups of a flow's configuration."""
    groups = {p.name for p in CONF.iterdir() if p.is_dir() and not p.name.startswith("_")}
    return frozenset(tree(flow)) - {"defaults"} | groups | {"hydra"}


@cache
def tree(flow: str) -> dict[str, Any]:
    """A flow's own yaml, and the options of its defaults list that are not put below a key."""
    import yaml

    found: dict[str, Any] = yaml.safe_load((CONF / f"{flow}.yaml").read_text(encoding="utf-8"))
    for entry in found["defaults"]:
        for group, option in entry.items() if isinstance(entry, dict) else ():
            text = _option(f"{group}/{option}")
            if text.startswith("# @package _global_"):
                found = {**yaml.safe_load(text), **found}
    return found


def _option(name: str) -> str:
    path = CONF / f"{name}.yaml"
    return path.read_text(encoding="utf-8") if path.exists() else ""


def several(flow: str, words: list[str]) -> list[str]:
    """``retriever=[a,b]`` of a benchmark as Hydra has it: each option under its own name."""
    found: list[str] = []
    for word in words:
        match = re.fullmatch(r"retriever=\[([\w\s,]*)\]", word) if flow == "retrieval" else None
        names = [name.strip() for name in match[1].split(",")] if match else []
        if not match or not all(names):
            found.append(word)
            continue
        found.append(f"retriever={names[0]}")
        found += [f"+retriever@retrievers.{name}={name}" for name in dict.fromkeys(names)]
    return found


def quoted(subject: str) -> str:
    """The override that sets the subject, whatever characters it has.

    A single-quoted Hydra value takes everything but a quote and the backslashes before one;
    OmegaConf would read ``${`` as an interpolation.
    """
    text = re.sub(r"(\\*)\$\{", lambda m: m[1] * 2 + r"\${", subject)
    text = re.sub(r"(\\*)'", lambda m: m[1] * 2 + r"\'", text)
    text = re.sub(r"(\\+)$", lambda m: m[1] * 2, text)
    return f"subject='{text}'"


def checked(flow: str, subject: str) -> str:
    """The subject, if it can be one.

    Raises:
        InputError: It is empty or too long.
    """
    what = f"the subject of moot {flow}"
    try:
        subject.encode("utf-8")
    except UnicodeEncodeError:
        raise InputError(
            f"{what} is not valid UTF-8", got=ascii(subject)[:80], remedy="check its encoding"
        ) from None
    if not subject.strip():
        raise InputError(f"{what} is empty", expected="a text in quotes")
    if len(subject) > MAX_SUBJECT:
        raise InputError(
            f"{what} is too long",
            expected=f"at most {MAX_SUBJECT} characters",
            got=f"{len(subject)}",
            remedy="a long text is a document: moot ingest FILE",
        )
    return subject


def flags_first(words: list[str]) -> list[str]:
    """The same words with Hydra's flags in front: argparse wants the overrides in one piece.

    Raises:
        ConfigError: A flag is none of Hydra's.
    """
    positional = set(_positional(words))
    flags = [word for index, word in enumerate(words) if index not in positional]
    for flag in (word.split("=")[0] for word in flags if word.startswith("-")):
        if flag not in FLAGS:
            nearest = get_close_matches(flag, sorted(FLAGS), n=2, cutoff=0.5)
            hint = f"did you mean {' or '.join(nearest)}?" if nearest else "see --hydra-help"
            raise ConfigError(f"unknown flag {flag!r}", remedy=hint)
    return flags + [words[index] for index in sorted(positional)]


def _first_positional(words: list[str]) -> int | None:
    return next(_positional(words), None)


def _positional(words: list[str]) -> Iterator[int]:
    """Where the words stand that are neither flags nor the values of flags."""
    skip = False
    for index, word in enumerate(words):
        if skip:
            skip = False
        elif word in TAKES_VALUE:
            skip = True
        elif not FLAG.fullmatch(word):
            yield index
