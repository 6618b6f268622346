#!/usr/bin/env python3
"""Runs the models of every release on the releases that its promises cover, and on the engine.

    bench/models/pairs.py --vintage build/release/bin/vintage --archive H --jax 0.4.30..0.12
        -o PAGE
    bench/models/pairs.py --vintage … --archive H -o …      (only writes the page again)

The releases export the models of `vintage produce --cases models` and run each other's. An
interrupted call goes on where it ended. The embedded engine runs all of them each time.
"""

import argparse
import datetime
import json
import pathlib
import subprocess
import sys
import tempfile
from collections import Counter
from typing import Any

BACKWARD_DAYS, FORWARD_DAYS = 180, 21  # docs/reference/verdicts.md
KINDS = ("pass", "differ where they may", "not comparable", "fail", "refused")

_arguments = argparse.ArgumentParser(
    description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
)
_arguments.add_argument("--vintage", type=pathlib.Path, required=True, help="the program")
_arguments.add_argument("--archive", type=pathlib.Path, required=True)
_arguments.add_argument("--jax", nargs="*", default=[], help="releases, as 'builds add' takes them")
_arguments.add_argument("-o", "--out", type=pathlib.Path, required=True, help="the page to write")


def measured(options: argparse.Namespace) -> dict[str, Any]:
    """The pairs of releases that `vintage history` knows."""
    releases = ["--jax", *options.jax] if options.jax else []
    with tempfile.TemporaryDirectory() as pages:
        done = subprocess.run(
            [options.vintage, "history", "--archive", options.archive, *releases, "--cases",
             "models", "--no-fresh", "--workers", "1", "-o", pages], check=False,
        )  # fmt: skip
        if done.returncode not in (0, 3):
            sys.exit(f"vintage history ended with status {done.returncode}")
        document: dict[str, Any] = json.loads((pathlib.Path(pages) / "history.json").read_text())
        return document


def on_engine(options: argparse.Namespace) -> list[dict[str, Any]]:
    done = subprocess.run(
        [options.vintage, "replay", "--archive", options.archive, "--mode", "graph", "--format",
         "json"], stdout=subprocess.PIPE, check=False,
    )  # fmt: skip
    if done.returncode not in (0, 1, 3):
        sys.exit(f"vintage replay ended with status {done.returncode}")
    pairs: list[dict[str, Any]] = json.loads(done.stdout)["pairs"]
    return pairs


def counted(pair: dict[str, Any]) -> Counter[str]:
    return Counter({
        "pass": pair["pass"],
        "differ where they may": pair["differs_where_it_may"],
        "not comparable": pair["not_comparable"],
        "fail": sum(pair["fail"].values()),
        "refused": pair["refused"],
    })  # fmt: skip


def promise(producer: str, consumer: str, days: dict[str, datetime.date]) -> str:
    if producer == consumer:
        return "on the release itself"
    apart = (days[consumer] - days[producer]).days
    if 0 <= apart <= BACKWARD_DAYS:
        return "promised backward"
    return "promised forward" if -FORWARD_DAYS <= apart < 0 else "beyond the promises"


def row(name: str, *cells: object) -> str:
    return f"| {name} | " + " | ".join(str(cell) for cell in cells) + " |\n"


def table(names: list[str], rows: list[str]) -> str:
    return row(*names) + "|" + " --- |" * len(names) + "\n" + "".join(rows)


def failures(history: dict[str, Any], engine: list[dict[str, Any]]) -> list[str]:
    lines = [
        f"- {one['smallest']['name']} and {one['pairs'] - 1} pairs more: {one['message']}\n"
        for one in history["breaks"]
    ]
    for pair in engine:
        if pair["cell"] in ("fail", "runner error"):
            first = pair["detail"].split("\n", 1)[0]
            lines.append(f"- {pair['name']} of {pair['producer']} on the engine: {first}\n")
    return lines


def page(history: dict[str, Any], engine: list[dict[str, Any]]) -> str:
    days = {
        one["version"]: datetime.date.fromisoformat(one["released"]) for one in history["releases"]
    }
    totals: dict[str, Counter[str]] = {}
    releases: dict[str, Counter[str]] = {version: Counter() for version in days}
    wrong = 0
    for pair in history["pairs"]:
        kind = promise(pair["producer"], pair["consumer"], days)
        totals.setdefault(kind, Counter()).update(counted(pair))
        if kind.startswith("promised"):
            releases[pair["producer"]].update(counted(pair))
            wrong += pair["fail"].get("mismatch", 0)
    words = {"differs where it may": "differ where they may", "runner error": "fail"}
    engines: dict[str, Counter[str]] = {version: Counter() for version in days}
    for pair in engine:
        kind = words.get(pair["cell"], pair["cell"])
        engines[pair["producer"].removeprefix("jax ")][kind] += 1
    totals["on the engine"] = sum(engines.values(), Counter())
    artifacts = {one["version"]: one["artifacts"] for one in history["releases"]}
    promised = sum(sum(counts.values()) for counts in releases.values())
    broken = failures(history, engine)
    return (
        "# Models on neighbouring releases\n\n"
        f"{len(days)} releases of JAX exported {sum(artifacts.values())} models and ran each "
        f"other's: {promised} pairs that the promises cover, {wrong} of them with other values. A "
        "model's golden is what its own release computed; values compare within the noise of "
        "roundings "
        "([golden_format.md](../reference/golden_format.md#noise)). Written by\n\n"
        f"```\nbench/models/pairs.py --vintage … --archive H --jax {' '.join(days)} -o …\n```\n\n"
        + table(["Pairs", "all", *KINDS], [
            row(name, sum(counts.values()), *(counts[kind] for kind in KINDS))
            for name, counts in sorted(totals.items())
        ])
        + "\n## Failures inside the promises and on the engine\n\n"
        + ("".join(broken) or "Nothing.\n")
        + "\n## By the release that exported\n\n"
        "All models of the other releases pass on each promised release and on the engine.\n\n"
        + table(["Release", "published", "models", "promised pairs", "pass", "engine: pass"], [
            row(version, days[version], artifacts[version], sum(releases[version].values()),
                releases[version]["pass"], engines[version]["pass"])
            for version in sorted(days, key=lambda one: days[one])
            if releases[version].total() > releases[version]["pass"]
            or engines[version]["pass"] != artifacts[version] or artifacts[version] == 0
        ])
    )  # fmt: skip


def main() -> int:
    options = _arguments.parse_args()
    options.out.write_text(page(measured(options), on_engine(options)))
    return 0


if __name__ == "__main__":
    sys.exit(main())
