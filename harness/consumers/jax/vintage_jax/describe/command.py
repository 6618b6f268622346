"""The command line of `describe`."""

from __future__ import annotations

import argparse
import json
from collections.abc import Sequence
from datetime import date
from pathlib import Path

from vintage_jax.describe.description import describe
from vintage_jax.failure import EXIT_HOLDS, UsageFailure, run_program
from vintage_jax.standard_output import keep_standard_output


def main(arguments: Sequence[str]) -> int:
    parser = argparse.ArgumentParser(
        prog="vintage_jax describe",
        description="Says what the JAX of this interpreter is (docs/gate/registry.md).",
    )
    parser.add_argument("--released", default="", help="the day of the release, YYYY-MM-DD")
    parser.add_argument("--built", default="", help="the day on which jaxlib was built")
    parser.add_argument("--environment", type=Path, help="whose record names that day")
    parser.add_argument("--format", choices=("text", "json"), default="json")
    options = parser.parse_args(arguments)
    return run_program("vintage_jax describe", lambda: _run(options))


def _run(options: argparse.Namespace) -> int:
    days = {"--released": options.released, "--built": options.built}
    if options.environment:
        from vintage_jax.environment.compose import read_environment

        runtime = read_environment(options.environment)["runtime"]
        days = {"--released": runtime["released"], "--built": runtime["build_date"]}
    for option, day in days.items():
        try:
            if day:
                date.fromisoformat(day)
        except ValueError:
            raise UsageFailure(f"{option} {day}: no day; YYYY-MM-DD is accepted") from None
    # What JAX prints on the way goes to standard error.
    with keep_standard_output() as stdout:
        runtime = describe(days["--released"], days["--built"])
        if options.format == "json":
            stdout.write((json.dumps(runtime, indent=1) + "\n").encode())
        else:
            names = ("calling_convention", "serialization", "stablehlo")
            ranges = {key: runtime[key] for key in names if key in runtime}
            lines = [f"{runtime['name']} of {runtime['released']}"]
            lines += [
                f"{key}: {part['oldest']} to {part['newest']}" for key, part in ranges.items()
            ]
            lines.append(f"targets: {len(runtime['targets'])} registered, "
                         f"{len(runtime['stable_targets'])} listed")  # fmt: skip
            stdout.write(("\n".join(lines) + "\n").encode())
    return EXIT_HOLDS
