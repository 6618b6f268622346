"""The program `describe` of a framework that answers with its description alone."""

from __future__ import annotations

import argparse
import json
from collections.abc import Callable, Sequence
from datetime import date
from typing import Any

from vintage_python.failure import EXIT_HOLDS, UsageFailure, run_program
from vintage_python.framework import Framework
from vintage_python.progress import result, write_lines_to
from vintage_python.standard_output import keep_standard_output

Describe = Callable[[str], dict[str, Any]]  # Of the day of the release.


def describe_program(framework: Framework, describe: Describe, arguments: Sequence[str]) -> int:
    parser = argparse.ArgumentParser(
        prog=f"{framework.program} describe",
        description=f"Says what the {framework.title} of this interpreter is "
                    "(docs/gate/registry.md).")  # fmt: skip
    parser.add_argument("--released", default="", help="the day of the release, YYYY-MM-DD")
    parser.add_argument("--format", choices=("json", "lines"), default="json")
    options = parser.parse_args(arguments)
    return run_program(f"{framework.program} describe", lambda: _run(describe, options))


def _run(describe: Describe, options: argparse.Namespace) -> int:
    try:
        if options.released:
            date.fromisoformat(options.released)
    except ValueError:
        raise UsageFailure(
            f"--released {options.released}: no day; YYYY-MM-DD is accepted"
        ) from None
    # What the framework prints on the way goes to standard error.
    with keep_standard_output() as stdout:
        runtime = describe(options.released)
        if options.format == "lines":
            write_lines_to(stdout.fileno())
            result(runtime)
        else:
            stdout.write((json.dumps(runtime, indent=1) + "\n").encode())
    return EXIT_HOLDS
