"""Asks the JAX of this interpreter what it is."""

from __future__ import annotations

import argparse
import json
from collections.abc import Sequence
from datetime import date
from pathlib import Path
from typing import Any

from vintage_jax.describe.description import describe
from vintage_jax.produce.case import PLATFORMS
from vintage_python.failure import EXIT_HOLDS, UsageFailure, run_program
from vintage_python.progress import result, write_lines_to
from vintage_python.standard_streams import keep_standard_output


def main(arguments: Sequence[str]) -> int:
    parser = argparse.ArgumentParser(
        prog="vintage_jax describe",
        description="Says what the JAX of this interpreter is (docs/gate/registry.md).",
    )
    parser.add_argument("--released", default="", help="the day of the release, YYYY-MM-DD")
    parser.add_argument("--jax-released", default="", help="the day of jax, if another")
    parser.add_argument("--environment", type=Path, help="whose record names those days")
    parser.add_argument(
        "--emitted", action="store_true",
        help="also lower JAX's harnesses for each platform in each mode, to see which targets they "
             "call; takes minutes")  # fmt: skip
    parser.add_argument(
        "--platform", nargs="+", choices=PLATFORMS, default=list(PLATFORMS),
        help="with --emitted: only for these; of the others nothing is known then")  # fmt: skip
    parser.add_argument("--harness-file", type=Path, help="another release's test_harnesses.py")
    parser.add_argument("--format", choices=("text", "json", "lines"), default="json")
    options = parser.parse_args(arguments)
    return run_program("vintage_jax describe", lambda: _run(options))


def _run(options: argparse.Namespace) -> int:
    days = {
        "--released": options.released,
        "--jax-released": options.jax_released,
    }
    record: dict[str, Any] = {}
    if options.environment:
        from vintage_jax.release import JAX
        from vintage_python.environment.record import read_environment

        record = read_environment(JAX, options.environment)
        runtime = record["runtime"]
        days = {
            "--released": runtime["released"],
            "--jax-released": options.jax_released or record.get("jax_released", ""),
        }
    for option, day in days.items():
        try:
            if day:
                date.fromisoformat(day)
        except ValueError:
            raise UsageFailure(f"{option} {day}: no day; YYYY-MM-DD is accepted") from None
    # What JAX prints on the way goes to standard error.
    with keep_standard_output() as stdout:
        if options.format == "lines":
            write_lines_to(stdout.fileno())
        if options.emitted and record:
            from vintage_jax.describe.plugins import add_plugins

            add_plugins(options.platform, record)
        runtime = describe(days["--released"])
        if options.emitted:
            runtime["exporter_released"] = days["--jax-released"] or runtime["released"]
            runtime |= _emitted(options)
        if options.format == "lines":
            result(runtime)
        elif options.format == "json":
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
            if options.emitted:
                emitted = {line["name"] for line in runtime["emitted"]}
                lines.append(f"{len(emitted)} targets emitted")
            stdout.write(("\n".join(lines) + "\n").encode())
    return EXIT_HOLDS


def _emitted(options: argparse.Namespace) -> dict[str, Any]:
    from vintage_jax.describe.emission.cases import emission_cases
    from vintage_jax.describe.emission.collect import Emission
    from vintage_jax.describe.targets import registered_targets

    cases, source = emission_cases(options.harness_file, options.environment)
    emission = Emission(options.platform)
    emission.collect(cases)
    _, registries = registered_targets()
    return emission.described() | {"registries": registries, "harnesses_of": source}
