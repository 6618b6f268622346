#!/usr/bin/env python3
"""Whether the tests catch the faults of the rooms beside the engine.

    bench/seeded_faults/rooms.py [--tree build/seeded_faults/tree] [--shared FOLDER]
                                 [--jobs N] [--fault NAME ...] [--room ROOM ...] [--again]
                                 [--named-only]

Writes a copy of the sources that holds every fault of rooms/*.toml behind a switch
(source_faults.py), builds its test programs, and checks that the tests named there pass
while no fault is chosen. Then, for each fault, runs the tests that should catch it and, if
they pass, the other fast tests of the same program. Caught: a test fails. Attributed:
one of the named tests fails.

A fault that was caught is not tried again (except with --again) before it, or the program
of its tests, changes. Writes docs/seeded_faults/rooms.md. Exit
status 0: all caught and attributed; 1: not; 3: it broke.
"""

import argparse
import dataclasses
import fnmatch
import functools
import hashlib
import json
import os
import pathlib
import re
import subprocess
import time
import tomllib

from experiment import Broken, end_with
from rooms_page import Outcome, page
from source_faults import CHOSEN, Fault, read_faults, write_if_changed, write_tree

HERE = pathlib.Path(__file__).resolve().parent
ROOT = HERE.parent.parent
PAGE = ROOT / "docs" / "seeded_faults" / "rooms.md"
PROGRAMS = (
    "vintage",
    "vintage-worker",
    "vintage-worker-faults",
    "vintage_misbehaving_worker",
    "vintage_bisect_fake_worker",
    "vintage_refusing_worker",
)
# For a fault that makes a program wait for ever.
SECONDS = 300.0
# Tests of these take long, and only say what they are named for.
SLOW = (
    "*Crash*",
    "*Fault*",
    "*Killed*",
    "ProcessTest.*",
    "ManyClientsTest.*",
    "BusyService.*",
    "DamagedIndex.*",
    "DamageTest.*",
    "WorkerPool.*",
    "RealWorker.*",
    "LoweredPrograms.*",
    "SearchSequences*",
    "*/SearchSequences*",
    "Bucket.*",
    "MultipartBucket.*",
    "EndToEnd.*",
    "OddRecords.*",
    "QueryTest.*",
    "LoadAgreement*",
)


@dataclasses.dataclass(frozen=True)
class Tried:
    ended: str  # "passed", "failed", "crashed", "timeout"
    failed: list[str]
    seconds: float


class Experiment:
    def __init__(
        self, tree: pathlib.Path, faults: list[Fault], options: argparse.Namespace
    ) -> None:
        self.tree = tree
        self.faults = faults
        self.jobs: int = options.jobs
        self.shared: str = options.shared
        self.named_only: bool = options.named_only
        self.build_folder = tree / "build" / "release"
        self.results = tree / "results"

    def build(self) -> None:
        write_tree(ROOT, self.tree, self.faults)
        if not (self.build_folder / "build.ninja").exists():
            self.command(
                [
                    "cmake",
                    "--preset",
                    "release",
                    *([f"-DVINTAGE_SHARED={self.shared}"] if self.shared else []),
                ]
            )
        programs = sorted({f"vintage_{fault.program}_tests" for fault in self.faults})
        self.command(
            ["ninja", "-C", str(self.build_folder), f"-j{self.jobs}", "-k0", *PROGRAMS, *programs]
        )

    def command(self, command: list[str]) -> None:
        if subprocess.run(command, cwd=self.tree, check=False).returncode != 0:
            raise Broken(f"this failed in {self.tree}: {' '.join(command)}")

    def program(self, name: str) -> pathlib.Path:
        return self.build_folder / "tests" / f"vintage_{name}_tests"

    def run(self, program: str, pattern: str, fault: str) -> Tried:
        environment = {name: value for name, value in os.environ.items() if name != CHOSEN}
        if fault:
            environment[CHOSEN] = fault
        started = time.monotonic()
        process = subprocess.Popen(
            [str(self.program(program)), f"--gtest_filter={pattern}"],
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            env=environment,
            text=True,
            errors="replace",
            start_new_session=True,
        )
        try:
            output, _ = process.communicate(timeout=SECONDS)
        except subprocess.TimeoutExpired:
            os.killpg(process.pid, 9)
            output, _ = process.communicate()
            return Tried("timeout", begun(output), time.monotonic() - started)
        seconds = time.monotonic() - started
        failed = sorted(
            {
                match.group(1)
                for match in re.finditer(
                    r"^\[  FAILED  \] ([^\s,]+).*\((?:\d+ ms)\)$", output, re.MULTILINE
                )
            }
        )
        ran = re.search(r"^\[==========\] (\d+) tests? from .* ran\.", output, re.MULTILINE)
        if ran is None:
            return Tried("crashed", failed + begun(output), seconds)
        if ran.group(1) == "0":
            return Tried("has no such test", [], seconds)
        return Tried("failed" if process.returncode else "passed", failed, seconds)

    def check_sound(self) -> None:
        """Checks that the named tests pass while no fault is chosen."""
        problems = [
            f"{fault.name}: {fault.program} has no test {pattern}"
            for fault in self.faults
            for pattern in fault.patterns
            if not fnmatch.filter(self.tests(fault.program), pattern)
        ]
        for program, pattern in sorted({(fault.program, fault.filter) for fault in self.faults}):
            kept = self.results / f"sound_{self.digest(program, pattern)}.json"
            if kept.exists():
                continue
            tried = self.run(program, pattern, "")
            if tried.ended == "passed":
                write_if_changed(kept, b"{}")
            else:
                problems.append(
                    f"without a fault {program} {pattern} {tried.ended}: {' '.join(tried.failed)}"
                )
        if problems:
            raise Broken("\n".join(problems))

    @functools.cache  # noqa: B019
    def tests(self, program: str) -> list[str]:
        listed = subprocess.run(
            [str(self.program(program)), "--gtest_list_tests"],
            capture_output=True,
            text=True,
            check=True,
        ).stdout
        names, suite = [], ""
        for line in listed.splitlines()[1:]:
            name = line.partition("#")[0].rstrip()
            if name.startswith("  "):
                names.append(suite + name.strip())
            else:
                suite = name
        return names

    def digest(self, program: str, pattern: str) -> str:
        whole = json.dumps([program, pattern, fingerprint(self.program(program))])
        return hashlib.sha256(whole.encode()).hexdigest()[:24]

    def found(self, fault: Fault) -> Outcome | None:
        """The earlier outcome, if neither the fault nor the program of its tests changed."""
        place = self.results / f"{fault.name}.json"
        if not place.exists():
            return None
        result = json.loads(place.read_text(encoding="utf-8"))
        if result["place"] != fault.place or result["program"] != fault.program:
            return None
        outcome = Outcome(**result["outcome"])
        named = any(
            fnmatch.fnmatchcase(test, pattern) for test in outcome.by for pattern in fault.patterns
        )
        unnamed = outcome.attributed and not outcome.by
        return dataclasses.replace(outcome, attributed=named or unnamed)

    def try_one(self, fault: Fault, again: bool) -> Outcome:
        kept = self.found(fault)
        if kept is not None and kept.attributed and not again:
            return kept
        tried = self.run(fault.program, fault.filter, fault.name)
        attributed = tried.ended != "passed"
        if not attributed and not self.named_only:
            tried = self.run(fault.program, f"*-{':'.join([*SLOW, *fault.patterns])}", fault.name)
        outcome = Outcome(tried.ended != "passed", attributed, tried.failed, tried.ended)
        result = {
            "place": fault.place,
            "program": fault.program,
            "outcome": dataclasses.asdict(outcome),
        }
        write_if_changed(self.results / f"{fault.name}.json", json.dumps(result).encode())
        said = "caught" if attributed else "NOT ATTRIBUTED" if outcome.caught else "NOT CAUGHT"
        tests = " ".join(outcome.by[:3])
        print(f"{said}  {fault.room}  {fault.name}  {tests}  {tried.seconds:.1f} s", flush=True)
        return outcome


def begun(output: str) -> list[str]:
    """The test that was running when the program ended."""
    started = re.findall(r"^\[ RUN      \] (\S+)$", output, re.MULTILINE)
    return started[-1:]


_fingerprints: dict[pathlib.Path, str] = {}


def fingerprint(program: pathlib.Path) -> str:
    if program not in _fingerprints:
        _fingerprints[program] = hashlib.sha256(program.read_bytes()).hexdigest()
    return _fingerprints[program]


def open_faults() -> int:
    return len(tomllib.loads((HERE / "open.toml").read_text(encoding="utf-8"))["fault"])


def main() -> int:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument(
        "--tree", type=pathlib.Path, default=ROOT / "build" / "seeded_faults" / "tree"
    )
    parser.add_argument("--shared", default="", help="the folder with corpus/ and facts/")
    parser.add_argument("--jobs", type=int, default=2)
    parser.add_argument("--fault", nargs="+", default=[])
    parser.add_argument("--room", nargs="+", default=[])
    parser.add_argument(
        "--named-only", action="store_true", help="not the other tests of a program"
    )
    parser.add_argument("--again", action="store_true")
    options = parser.parse_args()
    faults = read_faults(HERE / "rooms")
    experiment = Experiment(options.tree, faults, options)
    experiment.build()
    chosen = [
        fault
        for fault in faults
        if (not options.fault or fault.name in options.fault)
        and (not options.room or fault.room in options.room)
    ]
    Experiment(options.tree, chosen, options).check_sound()
    for fault in chosen:
        experiment.try_one(fault, options.again)
    outcomes = {
        fault.name: outcome for fault in faults if (outcome := experiment.found(fault)) is not None
    }
    write_if_changed(PAGE, page(faults, outcomes, open_faults()).encode())
    attributed = sum(outcome.attributed for outcome in outcomes.values())
    print(f"{len(faults)} faults, {len(outcomes)} tried, {attributed} caught and attributed")
    return 0 if attributed == len(faults) else 1


if __name__ == "__main__":
    end_with(main)
