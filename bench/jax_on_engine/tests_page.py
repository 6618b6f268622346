"""Writes the page of JAX's own tests from the outcomes of run_tests.py, and checks it.

    bench/jax_on_engine/tests_page.py --release 'jax 0.11.0' outcomes.jsonl > PAGE
    bench/jax_on_engine/tests_page.py --check

docs/reference/engine_refusals.md has the reasons: --check fails where the page has a failure
without one, or where the document quotes a message that the sources do not have.
"""

import argparse
import fnmatch
import json
import re
import sys
from collections import defaultdict
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parents[2]
PAGE = ROOT / "docs/measured" / "jax_tests.md"
REFUSALS = ROOT / "docs/reference/engine_refusals.md"
UNEXPLAINED = "not explained"

INTRODUCTION = """\
# JAX's own tests on the engine

The test files of {release}, as its repository has them, run by the same environment on the
embedded engine through its [plugin](../howto/pjrt_plugin.md) and on JAX's CPU backend, one file
after the other:

```
bench/jax_on_engine/run_tests.py --checkout JAX --python ENVIRONMENT/bin/python \\
    --library build/release/lib/libvintage_pjrt.so -o outcomes.jsonl
bench/jax_on_engine/tests_page.py --release '{release}' outcomes.jsonl > PAGE
```

*CPU* counts the tests that pass on the CPU backend, *engine* those of them that pass on the engine
too, *both* the ones that fail on both. Seconds are of the processor, for a whole file; *times* is
the engine's time divided by the CPU backend's.
"""


@dataclass(frozen=True)
class Reason:
    """A row of docs/reference/engine_refusals.md."""

    what: str
    seen: str  # A part of the message, or `file::test` with * for anything.

    def explains(self, name: str, detail: str) -> bool:
        return fnmatch.fnmatchcase(name, self.seen) if "::" in self.seen else self.seen in detail


@dataclass
class File:
    """The outcomes of one test file in one setting, by platform and test."""

    outcomes: dict[str, dict[str, dict[str, Any]]] = field(
        default_factory=lambda: {"vintage": {}, "cpu": {}}
    )
    ends: dict[str, dict[str, Any]] = field(default_factory=dict)

    def passed(self, platform: str) -> set[str]:
        tests = self.outcomes[platform].items()
        return {name for name, each in tests if each["outcome"] == "passed"}

    def failed(self, platform: str) -> set[str]:
        tests = self.outcomes[platform].items()
        return {name for name, each in tests if each["outcome"] == "failed"}


def reasons() -> list[Reason]:
    rows = re.findall(r"^\| (.+?) \| `(.+?)` \| .+ \|$", REFUSALS.read_text("utf-8"), re.MULTILINE)
    return [Reason(what, seen) for what, seen in rows]


def _row(*cells: object) -> str:
    return "| " + " | ".join(str(cell) for cell in cells) + " |"


def _read(names: list[str]) -> dict[tuple[int, str], dict[str, File]]:
    settings: dict[tuple[int, str], dict[str, File]] = defaultdict(lambda: defaultdict(File))
    for name in names:
        for line in Path(name).read_text("utf-8").splitlines():
            each = json.loads(line)
            file = settings[each["devices"], each["x64"]][each["file"]]
            if "test" in each:
                file.outcomes[each["platform"]][each["test"]] = each
            else:
                file.ends[each["platform"]] = each
    return settings


def _seconds(file: File, platform: str) -> float:
    return float(file.ends[platform]["processor"]) if platform in file.ends else 0.0


def _table(files: dict[str, File]) -> list[str]:
    lines = [
        _row("file", "CPU", "engine", "both", "engine s", "CPU s", "times"),
        _row("---", *["---:"] * 6),
    ]
    totals = [0.0] * 5
    for name in sorted(files):
        file = files[name]
        cpu = file.passed("cpu")
        ours = cpu & file.passed("vintage")
        both = file.failed("cpu") & file.failed("vintage")
        numbers = [len(cpu), len(ours), len(both), _seconds(file, "vintage"), _seconds(file, "cpu")]
        totals = [a + b for a, b in zip(totals, numbers, strict=True)]
        cut = [p for p, end in file.ends.items() if end["ended"] != "whole"]
        lines.append(_row(name + ("*" if cut else ""), *_cells(numbers)))
    lines.append(_row("all", *_cells(totals)))
    share = 100 * totals[1] / totals[0] if totals[0] else 0
    lines += ["", f"The engine passes {share:.2f} % of the tests that the CPU backend passes."]
    if any(end["ended"] != "whole" for file in files.values() for end in file.ends.values()):
        lines.append("A file with a * did not end in its time on one of the platforms.")
    return [*lines, ""]


def _cells(numbers: list[float]) -> list[str]:
    times = f"{numbers[3] / numbers[4]:.2f}" if numbers[4] else "-"
    return [*(str(int(n)) for n in numbers[:3]), *(f"{n:.0f}" for n in numbers[3:]), times]


def _failures(files: dict[str, File]) -> list[str]:
    known = reasons()
    found: dict[str, list[str]] = defaultdict(list)
    for name, file in sorted(files.items()):
        for test in sorted(file.passed("cpu") - file.passed("vintage")):
            outcome = file.outcomes["vintage"].get(test, {"detail": "not reached"})
            full = f"{name}::{test}"
            why = [each.what for each in known if each.explains(full, outcome["detail"])]
            found[why[0] if why else f"{UNEXPLAINED}: {outcome['detail'][:80]}"].append(full)
    if not found:
        return ["Every one of them passes.", ""]
    lines = [_row("why not on the engine", "tests", "which"), _row("---", "---:", "---")]
    for why in sorted(found):
        shown = ", ".join(f"`{name}`" for name in found[why][:8])
        more = f" and {len(found[why]) - 8} more" if len(found[why]) > 8 else ""
        lines.append(_row(why.replace("|", "\\|"), len(found[why]), shown + more))
    return [*lines, ""]


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
        f"{REFUSALS.name}: no source has the message {each.seen!r}"
        for each in reasons()
        if "::" not in each.seen and each.seen not in sources
    ]
    names = {each.what for each in reasons()}
    page = PAGE.read_text("utf-8") if PAGE.exists() else ""
    rows = re.findall(r"^\| (.+?) \| +(\d+) \| `", page, re.MULTILINE)
    problems += [
        f"{PAGE.name}: {count} tests fail because of {why!r}, which {REFUSALS.name} does not have"
        for why, count in rows
        if why not in names
    ]
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
    lines = [INTRODUCTION.format(release=options.release)]
    for (devices, x64), files in sorted(_read(options.outcomes).items()):
        plural = "" if devices == 1 else "s"
        lines += [f"## {devices} device{plural}, {'64' if x64 == '1' else '32'} bits", ""]
        lines += _table(files)
        lines += _failures(files)
    print("\n".join(lines).rstrip())


if __name__ == "__main__":
    main()
