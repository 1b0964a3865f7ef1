"""Compiled programs in every flow: ``program=champion``, a path, or ``models:/NAME/VERSION``.

Judges have theirs too: ``judges.quality=champion`` gives whatever asks the judge of quality, a
metric or a choice among samples, the prompts it was tuned to.
"""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

from evals.optimizing.compiled import Compiled, apply, read, restore
from evals.optimizing.debating import ARGUMENT, TABLE
from evals.optimizing.judges import Kind, judged, kind
from flows.config import AskingConfig, DebateConfig, FlowConfig
from flows.registry import ALIAS, champion_file, model_name
from modules.citations.judge import SupportJudge
from modules.essay import EssayJudge
from modules.lm.roles import Roles
from modules.roundtable import Roundtable
from signatures.errors import ConfigError, InputError

SCHEME = "models:/"


class Programs:
    """The compiled programs a run uses, each read once.

    Args:
        settings: The flow's configuration.

    Raises:
        InputError: There is no such judge's program.
        ConfigError: ``judges`` names no judge or one that nothing asks, or a program was made for
            another one, or for its signature as it was.
    """

    def __init__(self, settings: AskingConfig) -> None:
        self._settings = settings
        self._found: dict[str, tuple[str, Compiled]] = {}
        self._judges: dict[Kind, Compiled] = {}
        asked = _judges_asked(settings) if settings.judges else set()
        for name, spec in settings.judges.items():
            judge = judged(name, settings.metrics).program()
            compiled = self._read(spec, "judge", name)
            apply(compiled, judge, source=spec)
            if kind(judge) not in asked:
                raise ConfigError(
                    f"judges.{name} has nothing to do",
                    expected="a metric that asks this judge, samples to choose among (quality), or "
                    "citations.by=judge (citation_support)",
                    remedy=f"metric={name}",
                )
            self._judges[kind(judge)] = compiled

    def tuned(self, program: Any, target: str, method: str, *, option: str = "program") -> Any:
        """The program with the compiled prompts that an option of the flow names, if it does.

        Args:
            program: As the method made it, before models are bound.
            target: What kind of program it is (``answer``, ``essay`` ...).
            method: Its method.
            option: The option's name.

        Raises:
            InputError: There is no such program.
            ConfigError: It was made for another method, or its signatures have changed since.
        """
        spec: str | None = getattr(self._settings, option)
        if spec is None:
            return program
        return apply(self._read(spec, target, method), program, source=spec)

    def bind(self, roles: Roles) -> Callable[[Any], Any]:
        """As ``roles.bind``, with each judge inside a program given its tuned prompts first."""
        if not self._judges:
            return roles.bind

        def bound(program: Any) -> Any:
            for _, part in program.named_sub_modules():
                found = self._judges.get(kind(part))
                if found is not None:
                    restore(found.program, part)
            return roles.bind(program)

        return bound

    def used(self) -> dict[str, str]:
        """For the run's record: ``TARGET/METHOD`` -> what named it, and its digest."""
        return {
            name: f"{spec} {found.digest()}" for name, (spec, found) in sorted(self._found.items())
        }

    def notes(self) -> list[str]:
        """What is to be said of tuned judges: how far they agree with people."""
        return [
            f"{name} judges with the tuned prompts {spec} ({found.digest()}){_agreement(found)}"
            for name, (spec, found) in sorted(self._found.items())
            if found.target == "judge"
        ]

    def _read(self, spec: str, target: str, method: str) -> Compiled:
        name = f"{target}/{method}"
        if name not in self._found:
            found = compiled_of(spec, self._settings, target, method)
            if (found.target, found.method) != (target, method):
                raise ConfigError(
                    f"the program {spec} was tuned for {found.target}/{found.method}",
                    expected=f"one for {name}",
                    remedy=f"name one for {name}, or tune one: moot optimize target={target}",
                )
            self._found[name] = spec, found
        return self._found[name][1]


def with_programs(table: Roundtable, settings: DebateConfig, programs: Programs) -> Roundtable:
    """The table with the prompts that ``program`` and ``evidence_program`` name; returns it.

    Raises:
        InputError: There is no such program.
        ConfigError: It does not fit, or there is no evidence to cite.
    """
    programs.tuned(table.turns.speak, "debate", TABLE)
    cite = table.turns.back.cite
    if cite is not None:
        programs.tuned(cite, "evidence", ARGUMENT, option="evidence_program")
    elif settings.evidence_program is not None:
        raise ConfigError(
            "evidence_program has nothing to do", got="evidence=none", remedy="evidence=corpus"
        )
    return table


def _judges_asked(settings: AskingConfig) -> set[Kind]:
    """The kinds of all that metrics, choices among samples, and citation checks ask."""
    asked = [metric.program() for metric in settings.metrics.values()]
    if getattr(settings, "samples", 1) > 1 or getattr(settings, "match_budget", False):
        asked.append(EssayJudge())
    sections = (settings, *(getattr(settings, name, None) for name in ("settings", "answering")))
    checks = (getattr(section, "citations", None) for section in sections)
    if any(getattr(check, "by", "") == "judge" for check in checks):
        asked.append(SupportJudge())
    return {kind(part) for one in asked if one is not None for _, part in one.named_sub_modules()}


def compiled_of(spec: str, settings: FlowConfig, target: str, method: str) -> Compiled:
    """The compiled program that a word names: ``champion``, a path, or ``models:/...``.

    Raises:
        InputError: There is no such program.
        ConfigError: It is in the registry, and ``tracking=none`` has none.
    """
    if spec != ALIAS and not spec.startswith(SCHEME):
        path = Path(spec)
        return read(path / "program.json" if path.is_dir() else path)
    name, version = model_name(target, method), ALIAS
    if spec.startswith(SCHEME):
        name, version = _registered(spec)
    return read(
        champion_file(settings.tracking.uri, name, version, settings.paths.cache / "programs")
    )


def _registered(spec: str) -> tuple[str, str]:
    """``models:/name/3`` or ``models:/name@alias`` as a name and a version or alias."""
    rest = spec.removeprefix(SCHEME)
    for mark in ("@", "/"):
        name, found, version = rest.partition(mark)
        if found and name and version:
            return name, version
    raise InputError(
        f"{spec!r} names no registered program",
        expected="models:/NAME/VERSION or models:/NAME@ALIAS",
        remedy="see moot champion",
    )


def _agreement(found: Compiled) -> str:
    """A clause on the kappas that the program's own run measured on held-out labels."""
    kappas = [found.agreement.get(f"kappa_{when}") for when in ("before", "after")]
    if None in kappas:
        return ""
    return ": kappa {:.2f} with held-out labels, {:.2f} before tuning".format(*reversed(kappas))


__all__ = ["Programs", "compiled_of", "with_programs"]
