"""Keeps the outcomes of run_tests.py in docs/measured/jax_tests.json, and writes the page of them.

    python3 bench/jax_on_engine/tests_page.py --release 'jax 0.11.0' outcomes.jsonl
    python3 bench/jax_on_engine/tests_page.py --check

A file that was run again takes the place of its earlier run. docs/reference/engine_refusals.md has
the reasons: --check fails where the page is not of the record or has a failure without a reason,
or where the document quotes a message that the sources do not have.
"""

import argparse
import fnmatch
import json
import re
import sys
from collections import defaultdict
from dataclasses import dataclass
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parents[2]
PAGE = ROOT / "docs/measured" / "jax_tests.md"
RECORD = PAGE.with_suffix(".json")
REFUSALS = ROOT / "docs/reference/engine_refusals.md"
UNEXPLAINED = "not explained"
MOST_NAMED = 8

INTRODUCTION = """\
# JAX's own tests on the engine

The test files of {release}, as its repository has them, and of other projects, run by the same
environment on the embedded engine through its [plugin](../howto/pjrt_plugin.md) and on JAX's CPU
backend, one after the other or side by side. Written by `bench/jax_on_engine/tests_page.py` from
what `bench/jax_on_engine/run_tests.py` ran.

*CPU* counts the tests that pass on the CPU backend, *engine* those of them that pass on the engine
too, where it is fewer, *both* the ones that fail on both, if any. Seconds are of the processor, for
a whole file; *times* is the engine's time divided by the CPU backend's. A file with a * did not end
in its time on one of the platforms; one without a row was not run, or has no test for CPUs.
"""


@dataclass(frozen=True)
class Reason:
    """A row of docs/reference/engine_refusals.md."""

    what: str
    seen: tuple[str, ...]  # Parts of messages, or `file::test` with * for anything.

    def explains(self, name: str, detail: str) -> bool:
        return any(
            fnmatch.fnmatchcase(name, each) if "::" in each else each in detail
            for each in self.seen
        )


def _count(tests: dict[str, dict[str, dict[str, Any]]], ends: dict[str, Any]) -> dict[str, Any]:
    """The record of one file. `tests` and `ends` are by platform."""

    def of(platform: str, outcome: str) -> set[str]:
        return {name for name, each in tests[platform].items() if each["outcome"] == outcome}

    cpu, engine = of("cpu", "passed"), of("vintage", "passed")
    missing = {"detail": "not reached"}
    return {
        "cpu": len(cpu),
        "engine": len(cpu & engine),
        "both": len(of("cpu", "failed") & of("vintage", "failed")),
        "failures": {
            name: tests["vintage"].get(name, missing)["detail"][:160]
            for name in sorted(cpu - engine)
        },
        "seconds": {platform: end["processor"] for platform, end in ends.items()},
        "whole": all(end["ended"] == "whole" for end in ends.values()),
    }


def _record(release: str, outputs: list[str]) -> dict[str, Any]:
    """The record with the files in `outputs` that ran on both platforms."""
    tests: dict[tuple[str, ...], Any] = defaultdict(lambda: {"vintage": {}, "cpu": {}})
    ends: dict[tuple[str, ...], Any] = defaultdict(dict)
    for output in outputs:
        for line in Path(output).read_text("utf-8").splitlines():
            each = json.loads(line)
            bits = "64 bits" if each["x64"] == "1" else "32 bits"
            plural = "" if each["devices"] == 1 else "s"
            key = each["suite"], f"{each['devices']} device{plural}, {bits}", each["file"]
            if "test" in each:
                tests[key][each["platform"]][each["test"]] = each
            else:
                ends[key][each["platform"]] = each
    record = json.loads(RECORD.read_text("utf-8")) if RECORD.exists() else {"suites": {}}
    record["release"] = release
    for key, platforms in ends.items():
        if len(platforms) == 2:
            suite, setting, file = key
            files = record["suites"].setdefault(suite, {}).setdefault(setting, {})
            files[file] = _count(tests[key], platforms)
            if not files[file]["cpu"] and not files[file]["both"]:
                del files[file]  # It has no test for CPUs.
    return record


def reasons() -> list[Reason]:
    rows = re.findall(r"^\| (.+?) \| (`.+?`) \| .+ \|$", REFUSALS.read_text("utf-8"), re.MULTILINE)
    return [Reason(what, tuple(re.findall("`(.+?)`", seen))) for what, seen in rows]


def _row(*cells: object) -> str:
    return "| " + " | ".join(str(cell) for cell in cells) + " |"


def _cells(numbers: list[float]) -> list[str]:
    cpu, engine, both = (int(n) for n in numbers[:3])
    times = f"{numbers[3] / numbers[4]:.2f}" if numbers[4] else "-"
    counts = [str(cpu), "" if engine == cpu else str(engine), str(both) if both else ""]
    return [*counts, *(f"{n:.0f}" for n in numbers[3:]), times]


def _table(files: dict[str, Any]) -> list[str]:
    lines = [
        _row("file", "CPU", "engine", "both", "engine s", "CPU s", "times"),
        _row("---", *["---:"] * 6),
    ]
    totals = [0.0] * 5
    for name, file in sorted(files.items()):
        seconds = file["seconds"]
        numbers = [file["cpu"], file["engine"], file["both"], seconds["vintage"], seconds["cpu"]]
        totals = [a + b for a, b in zip(totals, numbers, strict=True)]
        if not (file["cpu"] or file["both"]) and file["whole"]:
            continue
        lines.append(_row(name + ("" if file["whole"] else "*"), *_cells(numbers)))
    lines.append(_row("all", *_cells(totals)))
    share = 100 * totals[1] / totals[0] if totals[0] else 0
    passes = f"The engine passes {share:.2f} % of the tests that the CPU backend passes."
    return [*lines, "", passes, ""]


def _failures(files: dict[str, Any]) -> list[str]:
    known = reasons()
    found: dict[str, list[str]] = defaultdict(list)
    for name, file in sorted(files.items()):
        for test, detail in file["failures"].items():
            full = f"{name}::{test}"
            why = [each.what for each in known if each.explains(full, detail)]
            found[why[0] if why else f"{UNEXPLAINED}: {detail[:80]}"].append(full)
    if not found:
        return []
    lines = [_row("why not on the engine", "tests", "which"), _row("---", "---:", "---")]
    for why in sorted(found):
        shown = ", ".join(f"`{name}`" for name in found[why][:MOST_NAMED])
        more = len(found[why]) - MOST_NAMED
        shown += f" and {more} more" if more > 0 else ""
        lines.append(_row(why.replace("|", "\\|"), len(found[why]), shown))
    return [*lines, ""]


def _page(record: dict[str, Any]) -> str:
    lines = [INTRODUCTION.format(release=record["release"])]
    for suite, settings in sorted(record["suites"].items()):
        for setting, files in sorted(settings.items()):
            lines += [f"## {suite}, {setting}", ""]
            lines += _table(files)
            lines += _failures(files)
    return "\n".join(lines).rstrip() + "\n"


def _check() -> int:
    """Problems of the page and the document, each printed."""
    sources = "".join(
        path.read_text("utf-8")
        for folder in ("harness/engine", "harness/plugin", "golden")
        for path in sorted((ROOT / folder).rglob("*"))
        if path.suffix in (".cpp", ".h", ".py")
    )
    sources = re.sub(r'"\s*\n\s*f?"', "", sources)
    problems = [
        f"{REFUSALS.name}: no source has the message {seen!r}"
        for each in reasons()
        for seen in each.seen
        if "::" not in seen and seen not in sources
    ]
    names = {each.what for each in reasons()}
    page = PAGE.read_text("utf-8") if PAGE.exists() else ""
    rows = re.findall(r"^\| (.+?) \| +(\d+) \| `", page, re.MULTILINE)
    problems += [
        f"{PAGE.name}: {count} tests fail because of {why!r}, which {REFUSALS.name} does not have"
        for why, count in rows
        if why not in names
    ]
    if page and page != _page(json.loads(RECORD.read_text("utf-8"))):
        problems.append(f"{PAGE.name}: it is not what {RECORD.name} says")
    for problem in problems:
        print(problem, file=sys.stderr)
    return 1 if problems else 0


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else None)
    parser.add_argument("--release", help="the release as it is to be called: 'jax 0.11.0'")
    parser.add_argument("--check", action="store_true", help="compare the page and the document")
    parser.add_argument("outcomes", nargs="*", help="what run_tests.py wrote")
    options = parser.parse_args()
    if options.check:
        sys.exit(_check())
    if not options.release or not options.outcomes:
        parser.error("--release and files of outcomes are needed, or --check")
    record = _record(options.release, options.outcomes)
    RECORD.write_text(json.dumps(record, indent=1, sort_keys=True) + "\n", "utf-8")
    PAGE.write_text(_page(record), "utf-8")


if __name__ == "__main__":
    main()
