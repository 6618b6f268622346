#!/usr/bin/env python3
"""Whether the nightly run catches what it should, and nothing else.

    bench/seeded_faults/engine.py [--build build/release] [--folder build/seeded_faults/engine]
                           [--nights 20] [--fault NAME ...] [--fresh]

For each seeded fault (`vintage-worker-faults --list-faults`) one real `vintage
nightly` over all static cases for the CPU, in both modes, with the faulty
worker as tonight's build. It has to end red, and its first suspect has to be
the damaged operation and primitive. Then nights without a fault, each into an
archive of its own: all have to be green, and to archive the same ids.

Writes docs/seeded_faults/engine.md when everything was tried. A run that was
interrupted goes on where it was, with the programs that it began with;
--fresh begins anew. Exit status 0: as it should be; 1: not; 3: it broke.
"""

import argparse
import collections
import concurrent.futures
import hashlib
import json
import os
import pathlib
import shutil
import subprocess
import time

from experiment import Broken, end_with, keep_programs

ROOT = pathlib.Path(__file__).resolve().parent.parent.parent
PAGE = ROOT / "docs" / "seeded_faults" / "engine.md"
PROGRAMS = ("vintage", "vintage-worker", "vintage-worker-faults")
TODAY = "2026-11-20"
MODES = ("graph", "eager")
CHOICE = ["--variant", "static", "--platform", "cpu", "--mode", *MODES]


def write_whole(path, text):
    partial = path.with_suffix(".partial")
    partial.write_text(text, encoding="utf-8")
    partial.rename(path)


class Experiment:
    def __init__(self, folder, build):
        self.folder = folder
        self.results = folder / "results"
        self.results.mkdir(parents=True, exist_ok=True)
        self.programs = keep_programs(build, folder, PROGRAMS)
        self.base = folder / "base"

    def program(self, name):
        return str(self.programs / name)

    def run(self, arguments, environment=None):
        started = time.monotonic()
        finished = subprocess.run(
            [self.program("vintage"), *arguments],
            capture_output=True,
            text=True,
            errors="replace",
            env={**os.environ, **(environment or {})},
        )
        return finished, time.monotonic() - started

    def faults(self):
        """Name, operation, primitive and description of each."""
        shown = subprocess.run(
            [self.program("vintage-worker-faults"), "--list-faults"],
            capture_output=True,
            text=True,
            check=True,
        ).stdout
        return [line.split("\t") for line in shown.splitlines()]

    def prepare(self):
        """All cases exported once, and found good by the sound worker."""
        if self.base.is_dir():
            return
        partial = self.folder / "base.partial"
        shutil.rmtree(partial, ignore_errors=True)
        finished, _ = self.run(
            [
                "nightly",
                "--archive",
                str(partial),
                "--today",
                TODAY,
                *CHOICE,
                "--out",
                str(self.folder / "base_reports"),
            ]
        )
        if finished.returncode != 0:
            raise Broken("the first night is not green:\n" + finished.stdout + finished.stderr)
        partial.rename(self.base)

    def cases(self):
        listed, _ = self.run(["list", "--archive", str(self.base), "--format", "json"])
        return {record["name"]: record for record in json.loads(listed.stdout)}

    def night(self, fault):
        """One night with this fault (empty: none) on a copy of the archive."""
        result = self.results / f"fault_{fault or 'none'}.json"
        if result.exists():
            return json.loads(result.read_text(encoding="utf-8"))
        archive = self.folder / f"archive_{fault or 'none'}"
        reports = self.folder / f"reports_{fault or 'none'}"
        for place in (archive, reports):
            shutil.rmtree(place, ignore_errors=True)
        shutil.copytree(self.base, archive)
        finished, seconds = self.run(
            [
                "nightly",
                "--archive",
                str(archive),
                "--today",
                TODAY,
                "--no-export",
                *CHOICE,
                "--worker",
                self.program("vintage-worker-faults"),
                "--workers",
                "1",
                "--out",
                str(reports),
            ],
            {"VINTAGE_SEEDED_FAULT": fault},
        )
        # A worker that a busy machine did not let start says nothing of the fault.
        report = reports / "report.json"
        if finished.returncode not in (0, 1) or not report.exists():
            raise Broken(
                f"{fault or 'none'}: exit status {finished.returncode}\n"
                f"{finished.stdout}{finished.stderr}"
            )
        night = summary_of(json.loads(report.read_text(encoding="utf-8")))
        night.update(status=finished.returncode, seconds=seconds)
        for place in (archive, reports):
            shutil.rmtree(place)
        write_whole(result, json.dumps(night))
        return night

    def green_night(self, number):
        """The same cases into a new archive; what came of it, and all ids."""
        result = self.results / f"green_{number}.json"
        if result.exists():
            return json.loads(result.read_text(encoding="utf-8"))
        archive = self.folder / "archive_green"
        reports = self.folder / "reports_green"
        for place in (archive, reports):
            shutil.rmtree(place, ignore_errors=True)
        finished, seconds = self.run(
            ["nightly", "--archive", str(archive), "--today", TODAY, *CHOICE, "--out", str(reports)]
        )
        listed, _ = self.run(["list", "--archive", str(archive), "--format", "json"])
        if finished.returncode not in (0, 1) or listed.returncode != 0:
            raise Broken(
                f"night {number + 1}: exit status {finished.returncode}\n"
                f"{finished.stdout}{finished.stderr}{listed.stderr}"
            )
        records = sorted(
            (record["name"], record["id"], record["golden"]) for record in json.loads(listed.stdout)
        )
        report = json.loads((reports / "report.json").read_text(encoding="utf-8"))
        night = {
            "status": finished.returncode,
            "seconds": seconds,
            "artifacts": len(records),
            "ids": hashlib.sha256(json.dumps(records).encode()).hexdigest(),
            "ran": report["counts"]["ran"],
        }
        for place in (archive, reports):
            shutil.rmtree(place)
        write_whole(result, json.dumps(night))
        return night


def summary_of(report):
    failing = [pair for pair in report["pairs"] if pair["cell"] == "fail"]
    return {
        "verdict": report["verdict"],
        "ran": report["counts"]["ran"],
        "failing": {
            mode: sorted(pair["name"] for pair in failing if pair["mode"] == mode) for mode in MODES
        },
        "outcomes": dict(
            collections.Counter(f"{pair['outcome']} in stage {pair['stage']}" for pair in failing)
        ),
        "suspects": report["suspects"],
    }


def is_attributed(night, operation, primitive):
    if not night["suspects"]:
        return False
    first = night["suspects"][0]
    named = first["operation"] == operation or first["operation"].startswith(operation + " ")
    return named and primitive in first["primitives"]


def page(faults, nights, cases, greens):
    def cell(text):
        return text.replace("|", "\\|").replace("[", "\\[").replace("]", "\\]")

    caught = sum(night["status"] == 1 for night in nights.values())
    attributed = sum(
        is_attributed(nights[name], operation, primitive)
        for name, operation, primitive, _ in faults
    )
    lines = [
        "# Seeded faults of the engine",
        "",
        "Written by `bench/seeded_faults/engine.py`, which runs `vintage nightly` once for each fault",
        f"over the {len(cases)} static cases for the CPU in the modes {' and '.join(MODES)}; "
        "change nothing here by hand. `tests/harness/engine/faults` describes each.",
        "",
        f"Of {len(faults)} faults {caught} turn the run red, and {attributed} are attributed to "
        "the operation and the primitive",
        "that are damaged. The first suspect is the first in the run's report: the operation "
        "(with its",
        "element type, direction or target), how many of the artifacts that hold it fail, the "
        "primitives to look at,",
        "and the smallest failing case.",
        "",
    ]
    if greens:
        same = len({night["ids"] for night in greens}) == 1
        green = sum(night["status"] == 0 for night in greens)
        lines += [
            f"Without a fault {green} of {len(greens)} nights in a row, each into an "
            f"archive of its own, are green; each archived {greens[0]['artifacts']} artifacts,",
            f"{'all with the same ids' if same else 'NOT all with the same ids'}, and ran "
            f"{greens[0]['ran']} pairs.",
            "",
        ]
    lines += [
        f"| Fault | Failing cases, {', '.join(MODES)} | First suspect |",
        "| --- | --- | --- |",
    ]
    for name, operation, primitive, _ in faults:
        night = nights[name]
        suspect = "**none**"
        if night["suspects"]:
            first = night["suspects"][0]
            suspect = (
                f"`{first['operation']}`, {first['failing']} of {first['holding']}; "
                f"{', '.join(first['primitives'])}; {first['simplest']}"
            )
        lines.append(
            "| "
            + " | ".join(
                [
                    f"`{name}`",
                    ", ".join(str(len(night["failing"][mode])) for mode in MODES)
                    + ("" if night["status"] == 1 else " **not red**"),
                    cell(suspect)
                    + (
                        ""
                        if is_attributed(night, operation, primitive)
                        else f" **not `{operation}`, {primitive}**"
                    ),
                ]
            )
            + " |"
        )
    return "\n".join(lines) + "\n"


def tell(text):
    print(text, flush=True)


def main():
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--build", type=pathlib.Path, default=ROOT / "build" / "release")
    parser.add_argument(
        "--folder", type=pathlib.Path, default=ROOT / "build" / "seeded_faults" / "engine"
    )
    parser.add_argument("--fault", action="append", help="only these; no page is written then")
    parser.add_argument("--nights", type=int, default=20, help="without a fault")
    parser.add_argument("--jobs", type=int, default=os.cpu_count(), help="nights at once")
    parser.add_argument("--fresh", action="store_true")
    options = parser.parse_args()
    if options.fresh:
        shutil.rmtree(options.folder, ignore_errors=True)
    options.folder.mkdir(parents=True, exist_ok=True)
    experiment = Experiment(options.folder, options.build)
    began = time.monotonic()
    experiment.prepare()
    faults = [
        fault for fault in experiment.faults() if not options.fault or fault[0] in options.fault
    ]

    bad = 0
    if experiment.night("")["status"] != 0:
        raise Broken("the worker for tests is not sound without a fault")
    nights = {}
    broken = []
    with concurrent.futures.ThreadPoolExecutor(options.jobs) as pool:
        running = {pool.submit(experiment.night, fault[0]): fault for fault in faults}
        for future in concurrent.futures.as_completed(running):
            name, operation, primitive, _ = running[future]
            try:
                night = nights[name] = future.result()
            except Broken as problem:
                broken.append(name)
                tell(f"BROKE {problem}")
                continue
            right = night["status"] == 1 and is_attributed(night, operation, primitive)
            bad += not right
            first = night["suspects"][0]["operation"] if night["suspects"] else "nobody"
            tell(
                f"[{len(nights)}/{len(faults)}] {name}: {night['verdict']}, "
                f"{sum(map(len, night['failing'].values()))} pairs fail, suspect {first}"
                f"{'' if right else '  WRONG'} ({night['seconds']:.1f} s)"
            )
    if broken:
        raise Broken(f"{len(broken)} nights broke; the same command tries them again")
    tell(f"{len(faults)} faults in {time.monotonic() - began:.0f} s, {bad} not as they should be")

    greens = []
    for number in range(options.nights):
        night = experiment.green_night(number)
        greens.append(night)
        right = night["status"] == 0 and night["ids"] == greens[0]["ids"]
        bad += not right
        tell(
            f"night {number + 1}: status {night['status']}, {night['artifacts']} artifacts, "
            f"ids {night['ids'][:12]}, {night['ran']} pairs ran"
            f"{'' if right else '  WRONG'} ({night['seconds']:.1f} s)"
        )
    if not options.fault:
        write_whole(PAGE, page(faults, nights, experiment.cases(), greens))
        tell(f"{PAGE} is written")
    tell(f"{time.monotonic() - began:.0f} s; {bad} not as they should be")
    return 1 if bad else 0


if __name__ == "__main__":
    end_with(main)
