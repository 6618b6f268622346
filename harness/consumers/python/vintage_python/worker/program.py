"""The program `worker` of a framework that has one condition."""

from __future__ import annotations

import argparse
import sys
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

from vintage_python.environment.record import describe, read_environment
from vintage_python.failure import EXIT_HOLDS, run_program
from vintage_python.framework import Framework
from vintage_python.standard_error import StandardErrorKept
from vintage_python.standard_output import keep_standard_output

# Loads the framework. What needs NumPy is loaded after that, whose absence is the clearer message.
Load = Callable[[StandardErrorKept, argparse.Namespace], Any]  # Gives a Consumer.


def worker_program(
    framework: Framework,
    load: Load,
    arguments: Sequence[str],
    own: Sequence[argparse.ArgumentParser] = (),
) -> int:
    """`own` are the framework's own options, which `load` is given."""
    parser = argparse.ArgumentParser(
        prog=f"{framework.program} worker",
        parents=list(own),
        description=f"Executes artifacts with the {framework.title} of this interpreter "
                    "(docs/worker_protocol.md on standard input and output).")  # fmt: skip
    place = parser.add_mutually_exclusive_group(required=True)
    place.add_argument("--environment", type=Path, help="whose release this interpreter has")
    place.add_argument("--released", help="the day of a release of your own, YYYY-MM-DD")
    options = parser.parse_args(arguments)
    return run_program(f"{framework.program} worker", lambda: _run(framework, load, options))


def _run(framework: Framework, load: Load, options: argparse.Namespace) -> int:
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
