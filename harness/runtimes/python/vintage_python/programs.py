"""Starts one of a package's programs: `python3 PATH/vintage_jax worker …`; and what the programs
`describe` and `worker` are where a framework needs nothing else of them."""

from __future__ import annotations

import argparse
import importlib
import json
import sys
from collections.abc import Callable, Sequence
from datetime import date
from pathlib import Path
from typing import Any

from vintage_python.environment.record import describe, read_environment
from vintage_python.failure import EXIT_HOLDS, UsageFailure, run_program
from vintage_python.framework import Framework
from vintage_python.progress import result, write_lines_to
from vintage_python.standard_streams import StandardErrorKept, keep_standard_output


def start(package: str, programs: Sequence[str], framework: Framework | None = None) -> int:
    """The first argument names the program: main() of PACKAGE.PROGRAM, or the `environment` that
    all frameworks have."""
    names = [*(["environment"] if framework else []), *programs]
    if len(sys.argv) < 2 or sys.argv[1] not in names:
        print(f"usage: {package} {{{','.join(names)}}} …", file=sys.stderr)
        return 2
    if framework and sys.argv[1] == "environment":
        from vintage_python.environment.command import environment_program

        return environment_program(framework, sys.argv[2:])
    program = importlib.import_module(f"{package}.{sys.argv[1]}")
    status: int = program.main(sys.argv[2:])
    return status


Describe = Callable[[str], dict[str, Any]]  # Of the day of the release.


def describe_program(framework: Framework, answer: Describe, arguments: Sequence[str]) -> int:
    """The program `describe` of a framework that answers with its description alone."""
    parser = argparse.ArgumentParser(
        prog=f"{framework.program} describe",
        description=f"Says what the {framework.title} of this interpreter is "
                    "(docs/gate/registry.md).")  # fmt: skip
    parser.add_argument("--released", default="", help="the day of the release, YYYY-MM-DD")
    parser.add_argument("--format", choices=("json", "lines"), default="json")
    options = parser.parse_args(arguments)
    return run_program(f"{framework.program} describe", lambda: _describe(answer, options))


def _describe(answer: Describe, options: argparse.Namespace) -> int:
    try:
        if options.released:
            date.fromisoformat(options.released)
    except ValueError:
        raise UsageFailure(
            f"--released {options.released}: no day; YYYY-MM-DD is accepted"
        ) from None
    # What the framework prints on the way goes to standard error.
    with keep_standard_output() as stdout:
        runtime = answer(options.released)
        if options.format == "lines":
            write_lines_to(stdout.fileno())
            result(runtime)
        else:
            stdout.write((json.dumps(runtime, indent=1) + "\n").encode())
    return EXIT_HOLDS


# Loads the framework. What needs NumPy is loaded after that, whose absence is the clearer message.
Load = Callable[[StandardErrorKept, argparse.Namespace], Any]  # Gives a Consumer.


def worker_program(
    framework: Framework,
    load: Load,
    arguments: Sequence[str],
    own: Sequence[argparse.ArgumentParser] = (),
) -> int:
    """The program `worker` of a framework that has one condition. `own` are the framework's own
    options, which `load` is given."""
    parser = argparse.ArgumentParser(
        prog=f"{framework.program} worker",
        parents=list(own),
        description=f"Executes artifacts with the {framework.title} of this interpreter "
                    "(docs/worker_protocol.md on standard input and output).")  # fmt: skip
    place = parser.add_mutually_exclusive_group(required=True)
    place.add_argument("--environment", type=Path, help="whose release this interpreter has")
    place.add_argument("--released", help="the day of a release of your own, YYYY-MM-DD")
    options = parser.parse_args(arguments)
    return run_program(f"{framework.program} worker", lambda: _work(framework, load, options))


def _work(framework: Framework, load: Load, options: argparse.Namespace) -> int:
    with keep_standard_output() as stdout:
        standard_error = StandardErrorKept()
        if options.environment:
            runtime = read_environment(framework, options.environment)["runtime"]
        else:
            runtime = describe(framework, sys.executable, options.released)
        consumer = load(standard_error, options)
        from vintage_python.worker.server import Server

        Server(sys.stdin.buffer, stdout, runtime, consumer, formats=framework.formats).serve()
    return EXIT_HOLDS
