"""The command line: ``moot FLOW ["subject"] [overrides...]``, and plain utilities.

Heavy imports happen inside the commands: ``moot --help`` loads the standard library only.
"""

from __future__ import annotations

import argparse
import json
import os
import sys
from collections.abc import Callable, Sequence
from difflib import get_close_matches
from typing import NoReturn

from signatures.errors import ConfigError, GateNotPassed, IncompleteError, MootError

FLOWS = {
    "annotate": "have discussions rated by annotators of different backgrounds, and analyse that",
    "answer": "answer a question from evidence, by its points of view",
    "curate": "build a dataset of debatable questions from a file of questions and evidence",
    "debate": "hold a roundtable of personas on a topic, each turn with evidence",
    "discuss": "let synthetic users discuss, with a moderator or without, in batches",
    "essay": "write a cited essay that refutes or supports a proposition",
    "evaluation": "compare methods and backends over a dataset: one table, with intervals",
    "ingest": "put documents (a file, folder, glob, .jsonl or web address) into the evidence index",
    "meta": "measure measures: moot meta FILE, answers with people's preferences and labels",
    "retrieval": "measure how retrievers heed perspectives: the PIR benchmark",
    "optimize": "tune prompts, and promote them if better: moot optimize target=answer",
    "score": "score existing texts with a metric: moot score FILE metric=NAME",
}
UTILITIES = {
    "app": "serve the web page: moot app [--port 8501] [--address 127.0.0.1]",
    "champion": "registered programs: moot champion [TARGET/METHOD] [--rollback]",
    "compare": "how two evaluations differ, metric by metric: moot compare RUN RUN",
    "doctor": "check versions, pins, index, tracking store and backends",
    "gate": "refuse an evaluation worse than another: moot gate RUN [--against RUN|champion]",
    "ranks": "what judges' filled sheets say: moot ranks KEY SHEET...",
    "report": "make an evaluation's report anew: moot report [RUN]",
    "resume": "finish an interrupted run or sweep: moot resume [RUN] [--failed] [key=value ...]",
    "runs": "list runs, newest last",
    "sheet": "blind ranking sheets for human judges: moot sheet FOLDER RUN...",
    "show": "print a run's result: moot show [RUN]",
    "verify": "remove what annotators of a curated dataset reject: moot verify RUN SHEET...",
}
SHEETS = ("ranks", "sheet")
"""Utilities of human evaluation."""

STORED = ("compare", "gate", "report")
"""Utilities over stored evaluations."""

INTERRUPTED = 130


def main(argv: Sequence[str] | None = None) -> int:
    """Run one command and return its exit code (see README: exit codes)."""
    words = list(sys.argv[1:] if argv is None else argv)
    as_json = "output=json" in words or "--json" in words
    try:
        return _dispatch(words)
    except MootError as error:
        return _report(error, as_json)
    except KeyboardInterrupt:
        print("interrupted; everything finished so far is kept: moot resume", file=sys.stderr)
        return INTERRUPTED
    except OSError as error:
        if isinstance(error, BrokenPipeError):
            return _left()
        from modules.disk import refusal

        found = refusal(error)
        return _report(found, as_json) if found is not None else _unforeseen(error, as_json)
    except Exception as error:  # the outermost edge: whatever comes, stdout keeps its promise
        return _unforeseen(error, as_json)


def _left() -> int:
    """The reader of a pipe left (head, less): not an error of ours."""
    os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
    return 0


def _unforeseen(error: Exception, as_json: bool) -> int:
    """A fault nobody foresaw: the traceback for whoever mends it, a document for whoever reads."""
    import traceback

    traceback.print_exception(error)
    remedy = "this is a fault of the program; finished work is kept: moot resume"
    document = {"type": type(error).__name__, "message": str(error), "remedy": remedy}
    if as_json:
        print(json.dumps({"error": document}, ensure_ascii=False))
    print(f"moot: {type(error).__name__}: {error}; {remedy}", file=sys.stderr)
    return 1


class _Parser(argparse.ArgumentParser):
    """A parser whose mistakes are one line like all others."""

    def error(self, message: str) -> NoReturn:
        raise ConfigError(f"{self.prog}: {message}", remedy=f"{self.prog} --help shows the options")


def _dispatch(words: list[str]) -> int:
    if not words or words[0] in {"-h", "--help", "help"}:
        print(_help())
        return 0
    name, rest = words[0], words[1:]
    if name in {"--version", "version"}:
        from importlib.metadata import version

        print(version("moot"))
        return 0
    if name in FLOWS:
        from flows.main import run_flow

        return run_flow(name, rest)
    if name in UTILITIES:
        return _utility(name, rest)
    raise _unknown(name)


def _utility(name: str, words: list[str]) -> int:
    parser = _Parser(prog=f"moot {name}", description=UTILITIES[name])
    if name in {"resume", "show"}:
        parser.add_argument("run", nargs="?", help="a run's id, the start of one, or its folder")
    if name == "resume":
        parser.add_argument("overrides", nargs="*", help="key=value, to change the configuration")
        parser.add_argument(
            "--failed", action="store_true", help="try a finished evaluation's failed units again"
        )
    if name in SHEETS:
        from flows.sheets import add_arguments

        add_arguments(name, parser)
    if name in STORED:
        from flows.gating import add_arguments as add_stored

        add_stored(name, parser)
    if name == "champion":
        from flows.champion import add_arguments as add_registered

        add_registered(parser)
    if name == "verify":
        from flows.verify import add_arguments as add_verified

        add_verified(parser)
    if name == "app":
        parser.add_argument("--port", type=int, default=8501, help="8501 by default")
        parser.add_argument("--address", default="127.0.0.1", help="this machine alone by default")
    parser.add_argument("--json", action="store_true", help="print one JSON document")
    options = parser.parse_args(["--json" if w == "output=json" else w for w in words])
    return _handler(name)(options)


def _handler(name: str) -> Callable[[argparse.Namespace], int]:
    from importlib import import_module

    own = {"champion": "flows.champion", "verify": "flows.verify",
           **dict.fromkeys(SHEETS, "flows.sheets"),
           **dict.fromkeys(STORED, "flows.gating")}  # fmt: skip
    module = import_module(own.get(name, "flows.utilities"))
    handler: Callable[[argparse.Namespace], int] = getattr(module, name)
    return handler


def _unknown(name: str) -> ConfigError:
    known = sorted({**FLOWS, **UTILITIES})
    nearest = get_close_matches(name, known, n=2, cutoff=0.5)
    hint = f"did you mean {' or '.join(nearest)}?" if nearest else f"there are {', '.join(known)}"
    return ConfigError(f"unknown command {name!r}", remedy=hint)


def _report(error: MootError, as_json: bool) -> int:
    if as_json and not isinstance(error, (IncompleteError, GateNotPassed)):  # after their results
        print(json.dumps({"error": error.as_json()}, ensure_ascii=False))
    print(f"moot: {error.line()}", file=sys.stderr)
    return error.exit_code


def _help() -> str:
    lines = ['usage: moot FLOW ["subject"] [key=value ...]', "", "flows:"]
    lines += [f"  {name:<12}{text}" for name, text in FLOWS.items()]
    lines += ["", "utilities:"]
    lines += [f"  {name:<12}{text}" for name, text in UTILITIES.items()]
    lines += [
        "",
        "moot FLOW --help shows the flow's options and groups. Options are Hydra overrides:",
        '  moot essay "We should make all museums free of charge" backend=openai output=json',
        "Exit codes: 0 done, 1 failed, 2 bad usage or input, 3 budget reached, 4 gate not passed, "
        "130 interrupted.",
    ]
    return "\n".join(lines)


if __name__ == "__main__":
    sys.exit(main())
