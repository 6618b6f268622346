"""python -m vintage.action: runs the window of an archive over releases of JAX.

Used by the GitHub Action (action/action.yml), and by any other service that starts commands. It
registers the releases, runs the artifacts that a promise covers on each, and writes the results to
the files that the service names in GITHUB_STEP_SUMMARY and GITHUB_OUTPUT, if set.
"""

import argparse
import json
import os
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from vintage.program import VintageError, run
from vintage.visible import visible

_CANNOT_TELL = 3


def main(arguments: Sequence[str] | None = None) -> int:
    parser = argparse.ArgumentParser(
        prog="python -m vintage.action",
        description="Runs the window of an archive over releases of JAX.",
        epilog="Example: python -m vintage.action --archive models --jax 0.8.1 window",
    )
    parser.add_argument("--archive", required=True, type=Path)
    parser.add_argument(
        "--jax",
        nargs="+",
        default=["window"],
        metavar="RELEASE",
        help="0.8.1, 0.4.30..0.12, latest, or window: all that today's promises cover",
    )
    parser.add_argument("--scope", nargs="+", default=["cpu", "backward"], metavar="WORD")
    parser.add_argument("--today", default="", metavar="YYYY-MM-DD")
    parser.add_argument(
        "--report", type=Path, default=Path("vintage-window.json"), help="the whole answer as JSON"
    )
    options = parser.parse_args(arguments)
    try:
        return _run(options)
    except VintageError as error:
        print(f"vintage: {error}", file=sys.stderr)
        return error.status


def _run(options: argparse.Namespace) -> int:
    archive = str(options.archive)
    if not options.archive.is_dir():
        raise VintageError(f"{archive}: there is no such archive; 'vintage.save' makes one", 2)
    day = ["--today", options.today] if options.today else []
    # A release that cannot be installed is named, and the others are judged.
    releases = ["--jax", *options.jax, *day]
    added = run("builds", "add", "--archive", archive, *releases, allowed=(0, _CANNOT_TELL))
    scope = ["--scope", *options.scope, *day]
    report = run("window", "--archive", archive, *scope, allowed=(0, 1, 3, 4))
    options.report.write_text(json.dumps(report, indent=2) + "\n")
    summary = summarize(report, [*added["failed"], *added["left_out"]])
    print(summary)
    _append("GITHUB_STEP_SUMMARY", summary + "\n")
    _append("GITHUB_OUTPUT", f"verdict={report['verdict']}\nreport={options.report}\n")
    return int(report["exit_status"])


def _append(variable: str, text: str) -> None:
    if os.environ.get(variable):
        with open(os.environ[variable], "a", encoding="utf-8") as file:
            file.write(text)


def summarize(report: dict[str, Any], missed: Sequence[dict[str, Any]]) -> str:
    """The window in markdown."""
    lines = [
        f"## Vintage: {report['verdict']}",
        "",
        f"{report['artifacts']} artifacts on {report['consumers']} builds, "
        f"as of {report['today']}.",
        "",
        "| promise | verdict | pairs | pass | fail |",
        "| --- | --- | --- | --- | --- |",
    ]
    judged = [promise for promise in report["promises"] if promise["in_scope"]]
    for promise in judged:
        cells = [promise["rule"]["name"]]
        cells += [promise[key] for key in ("verdict", "pairs", "pass", "failures")]
        lines.append(f"| {' | '.join(map(str, cells))} |")
    for promise in judged:
        if promise["broken"]:
            lines += ["", "| broken | exported by | on | message |"]
            lines.append("| --- | --- | --- | --- |")
        for pair in promise["broken"]:
            said = str(pair["detail"]).strip().split("\n", 1)[0].replace("|", "\\|")
            lines.append(f"| {pair['name']} | {pair['producer']} | {pair['build']} | {said} |")
    # The first reason is the verdict's sentence; the others say why there is no verdict.
    lines += ["", *(f"- {reason}" for reason in report["reasons"])]
    for one in missed:
        lines.append(f"\nNot installed: {one['framework']} {one['release']}: {one['reason']}")
    return visible("\n".join(lines))


if __name__ == "__main__":
    sys.exit(main())
