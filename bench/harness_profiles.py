#!/usr/bin/env python3
"""Where the time of a night and of a replay goes, before and after: bench/harness_profiles.md.

    bench/harness_profiles.py --before DIR [--after build/release/bin]

Both folders hold `vintage` and `vintage-worker`, DIR those of an older commit. Each runs a night
of the whole catalogue, then a replay of that night's artifacts on the CPU, all under `perf record
-e cpu-clock`. Times are of processors, parent and workers together: on a machine that others use
too, wall times say little. Parts overlap where one calls another.
"""

from __future__ import annotations

import argparse
import os
import pathlib
import re
import subprocess
import sys
import tempfile
from dataclasses import dataclass

SOURCE = pathlib.Path(__file__).resolve().parent.parent
PAGE = SOURCE / "bench" / "harness_profiles.md"
TODAY = "2026-11-20"
# The name of a part for people, and the pattern of its functions.
PARTS = {
    "night": {
        "lower a case": r"Case::lower|LoweredCase.*_M_invoke|std::_Function_handler<.*LoweredCase",
        "parse and serialize it": r"catalogue::\(anonymous namespace\)::(exportLowered|writtenModule)",
        "read back": r"ProgramContext::readPortableArtifact",
        "goldens": r"catalogue::goldenFor",
        "of them, the Hurwitz zeta function": r"oracle::hurwitzZeta",
        "archive them": r"Archive::putAll",
        "the parent of the replay": r"harness::replay$",
    },
    "replay": {
        "parent: read the archive": r"store::BlobStore::read$",
        "parent: read goldens, the archive apart": r"compare::readGolden",
        "parent: encode requests": r"consumers::encode",
        "parent: record outcomes": r"Archive::putOutcomes",
        "worker: read and upgrade programs": r"ProgramContext::readPortableArtifact",
        "worker: make trees": r"Program::tree",
        "worker: compile": r"engine::compile$",
        "worker: run": r"Plan::run$",
    },
}
LIBRARIES = 8
# The rest of the page is written by hand, and kept.
BY_HAND = "\n## A pair\n"
_arguments = argparse.ArgumentParser(description=__doc__)
_arguments.add_argument("--before", type=pathlib.Path, required=True)
_arguments.add_argument("--after", type=pathlib.Path, default=SOURCE / "build/release/bin")


@dataclass
class Measured:
    seconds: float  # Of processors.
    wall: float
    parts: dict[str, float]  # Per cent of all samples.
    libraries: list[str]


def report(data: pathlib.Path, *options: str) -> list[str]:
    done = subprocess.run(
        ["perf", "report", "--stdio", "--no-inline", "-g", "none", "-i", data, *options],
        capture_output=True, text=True, check=True,
    )  # fmt: skip
    return [line.strip() for line in done.stdout.splitlines() if re.match(r"\s+\d+\.\d+%", line)]


def measure(what: str, command: list[str | os.PathLike[str]], scratch: pathlib.Path) -> Measured:
    started = os.times()
    subprocess.run(command, check=False, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    ended = os.times()
    seconds = (ended.children_user - started.children_user) + (
        ended.children_system - started.children_system
    )
    # A second run for the samples, on an archive of its own if it writes one: sampling costs time.
    data = scratch / f"{what}.data"
    again = [str(word).replace("/plain", "/sampled") for word in command]
    subprocess.run(
        ["perf", "record", "-q", "-e", "cpu-clock", "-F", "199", "--call-graph", "dwarf,8192",
         "-o", data, *again],
        check=False, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL,
    )  # fmt: skip
    parts = {}
    inclusive = report(data, "--children", "--sort", "symbol")
    for part, pattern in PARTS[what].items():
        shares = [
            float(line.split("%")[0])
            for line in inclusive
            if re.search(pattern, re.sub(r"(\[abi:cxx11\]|[\s-])*$", "", line.split("] ", 1)[-1]))
        ]
        parts[part] = max(shares, default=0.0)
    libraries = report(data, "--no-children", "--sort", "comm,dso")[:LIBRARIES]
    return Measured(seconds, ended.elapsed - started.elapsed, parts, libraries)


def main() -> int:
    options = _arguments.parse_args()
    measured: dict[str, dict[str, Measured]] = {what: {} for what in PARTS}
    for when, folder in (("before", options.before), ("after", options.after)):
        vintage = folder.resolve() / "vintage"
        with tempfile.TemporaryDirectory() as name:
            scratch = pathlib.Path(name)
            for kind in ("plain", "sampled"):
                (scratch / kind).mkdir()
            archive = scratch / "plain" / "archive"
            measured["night"][when] = measure("night", [
                vintage, "nightly", "--archive", archive, "--today", TODAY,
                "--out", scratch / "plain" / "out"], scratch)  # fmt: skip
            measured["replay"][when] = measure("replay", [
                vintage, "replay", "--archive", archive, "--today", TODAY, "--platform", "cpu",
                "--mode", "graph", "--workers", "2"], scratch)  # fmt: skip
        for what, runs in measured.items():
            print(f"{what} {when}: {runs[when].seconds:.1f} s of processors", file=sys.stderr)
    text = (
        "# Where the time of the harness goes\n\nWritten by `bench/harness_profiles.py`: a night "
        "of the whole catalogue, and a replay of its artifacts for the CPU with two workers. "
        "Seconds are of processors, parent and workers together; parts overlap where one calls "
        f"another. Load average {os.getloadavg()[1]:.1f} on {os.cpu_count()} cores at the end: "
        "wall times are longer than on a machine of one's own.\n"
    )
    for what, runs in measured.items():
        before, after = runs["before"], runs["after"]
        text += f"\n## {what.capitalize()}\n\n| part | before | after |\n| --- | --- | --- |\n"
        text += f"| all, processors | {before.seconds:.1f} s | {after.seconds:.1f} s |\n"
        text += f"| all, wall | {before.wall:.1f} s | {after.wall:.1f} s |\n"
        for part in PARTS[what]:
            cells = [f"{run.parts[part] / 100 * run.seconds:.2f} s" for run in (before, after)]
            text += f"| {part} | {cells[0]} | {cells[1]} |\n"
        for when, run in runs.items():
            text += f"\nSamples by program and library, {when}:\n\n```\n"
            text += "\n".join(re.sub(r"\s{2,}", "  ", line) for line in run.libraries) + "\n```\n"
    kept = PAGE.read_text(encoding="utf-8").partition(BY_HAND)
    PAGE.write_text(text + kept[1] + kept[2], encoding="utf-8")
    return 0


if __name__ == "__main__":
    sys.exit(main())
