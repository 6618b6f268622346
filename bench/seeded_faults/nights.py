#!/usr/bin/env python3
"""A simulated year of nights without a fault: none may raise an alarm.

    bench/seeded_faults/nights.py --shared FOLDER [--build build/release]
                                  [--folder build/seeded_faults/nights] [--fresh]

100 nights up to 2026-11-22 into one archive: the days on which a jaxlib was really
released, and days spread evenly between them. Before the first the archive gets the
real releases by their facts and the real artifacts of FOLDER (facts/, corpus/), with
their own dates. Each night is one `vintage nightly --today` over a part of the catalogue
with a worker that was registered for that day; every third night the worker is another
program than before. Exports and builds of earlier nights are inside both windows and
outside. Every night must exit with 0, and its report must say that the judged promises
hold.

An interrupted run goes on with the next night; --fresh begins anew. Writes
docs/seeded_faults/nights.md. Exit status 0: all green; 1: not; 3: it broke.
"""

import argparse
import collections
import dataclasses
import datetime
import itertools
import json
import pathlib
import shutil
import subprocess
import time

from experiment import Broken, end_with, keep_programs
from nights_page import Night, page
from source_faults import write_if_changed

ROOT = pathlib.Path(__file__).resolve().parent.parent.parent
PAGE = ROOT / "docs" / "seeded_faults" / "nights.md"
PROGRAMS = ("vintage", "vintage-worker")
LAST = datetime.date(2026, 11, 22)
NIGHTS = 100
NIGHTS_OF_A_PROGRAM = 3
# The sample: every third primitive, a tenth of them each night.
SAMPLED = 3
PARTS = 10
BACKWARD = datetime.timedelta(days=180)


class Year:
    def __init__(self, folder: pathlib.Path, build: pathlib.Path, shared: pathlib.Path) -> None:
        self.folder = folder
        self.shared = shared
        self.archive = folder / "archive"
        self.results = folder / "results"
        self.results.mkdir(parents=True, exist_ok=True)
        self.programs = keep_programs(build, folder, PROGRAMS)

    def vintage(self, *arguments: str) -> subprocess.CompletedProcess[str]:
        return subprocess.run(
            [str(self.programs / "vintage"), *arguments],
            capture_output=True,
            text=True,
            errors="replace",
            check=False,
        )

    def must(self, *arguments: str) -> str:
        finished = self.vintage(*arguments)
        if finished.returncode != 0:
            raise Broken(f"vintage {' '.join(arguments)}: {finished.stdout}{finished.stderr}")
        return finished.stdout

    def releases(self) -> dict[datetime.date, str]:
        """jaxlib's releases of the year, by their real days."""
        facts = json.loads((self.shared / "facts" / "jax_release_dates.json").read_text())
        days = {
            datetime.date.fromisoformat(day): version for version, day in facts["jaxlib"].items()
        }
        return {
            day: version
            for day, version in days.items()
            if LAST - datetime.timedelta(days=364) <= day <= LAST
        }

    def days(self) -> list[datetime.date]:
        chosen = sorted(set(self.releases()) | {LAST - datetime.timedelta(days=364), LAST})
        while len(chosen) < NIGHTS:  # In the middle of the widest gap.
            before, after = max(itertools.pairwise(chosen), key=lambda gap: gap[1] - gap[0])
            chosen = sorted([*chosen, before + (after - before) // 2])
        return chosen

    def primitives(self, part: int) -> list[str]:
        lines = self.must("cases", "--format", "json")
        names = sorted({case["primitive"] for case in json.loads(lines)["cases"]})
        return names[::SAMPLED][part::PARTS]

    def prepare(self) -> None:
        if self.archive.is_dir():
            return
        partial = self.folder / "archive.partial"
        shutil.rmtree(partial, ignore_errors=True)
        self.must(
            "import", str(self.shared / "corpus" / "jax-backcompat"), "--archive", str(partial)
        )
        self.must(
            "builds",
            "import",
            str(self.shared / "facts" / "jax_releases.json"),
            "--archive",
            str(partial),
        )
        partial.rename(self.archive)

    def worker(self, number: int) -> pathlib.Path:
        """The worker of this night: the same program for a few nights, then another one."""
        program = self.folder / f"worker_{number // NIGHTS_OF_A_PROGRAM}"
        if not program.exists():
            for old in self.folder.glob("worker_*"):
                old.unlink()
            shutil.copy2(self.programs / "vintage-worker", program)
            with program.open("ab") as file:
                file.write(f"\nworker {number // NIGHTS_OF_A_PROGRAM}\n".encode())
        return program

    def outside(self, day: datetime.date, primitives: list[str]) -> int:
        listed = json.loads(
            self.must(
                "list",
                "--archive",
                str(self.archive),
                "--format",
                "json",
                "--built-until",
                str(day - BACKWARD - datetime.timedelta(days=1)),
                "--platform",
                "cpu",
                "--primitive",
                *primitives,
            )
        )
        return len(listed)

    def night(self, number: int, day: datetime.date) -> Night:
        place = self.results / f"{day}.json"
        if place.exists():
            return Night(**json.loads(place.read_text(encoding="utf-8")))
        part = number % PARTS
        primitives = self.primitives(part)
        reports = self.folder / "reports"
        shutil.rmtree(reports, ignore_errors=True)
        started = time.monotonic()
        finished = self.vintage(
            "nightly",
            "--archive",
            str(self.archive),
            "--today",
            str(day),
            "--worker",
            str(self.worker(number)),
            "--out",
            str(reports),
            "--mode",
            "graph",
            "eager",
            "--primitive",
            *primitives,
        )
        seconds = time.monotonic() - started
        if not (reports / "report.json").exists():
            raise Broken(
                f"{day}: exit status {finished.returncode}\n{finished.stdout}{finished.stderr}"
            )
        report = json.loads((reports / "report.json").read_text(encoding="utf-8"))
        pairs = report["pairs"]
        tonight = f"vintage-engine {day}"
        promised = collections.Counter(pair["promise"] for pair in pairs)
        night = Night(
            day=str(day),
            released=self.releases().get(day, ""),
            part=part,
            status=finished.returncode,
            verdict=report["verdict"],
            promises=report["promises"],
            exported=int(finished.stdout.split(" cases gave ")[1].split()[0]),
            builds=sorted({pair["build"] for pair in pairs} - {tonight}),
            same=sum(one["builds"] for one in report["same_programs"]),
            backward=promised["backward"],
            forward=promised["forward"],
            oldest=max(
                (day - datetime.date.fromisoformat(pair["artifact_build_date"])).days
                for pair in pairs
            ),
            outside=self.outside(day, primitives),
            cells=report["counts"]["cells"],
            problems=[
                str(one)
                for field in ("missing", "breakages", "unmatched_limitations", "suspects")
                for one in report[field]
            ],
            seconds=seconds,
        )
        if not night.is_green():
            shutil.copytree(reports, self.folder / f"reports_{day}", dirs_exist_ok=True)
        write_if_changed(place, json.dumps(dataclasses.asdict(night)).encode())
        return night


def main() -> int:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--build", type=pathlib.Path, default=ROOT / "build" / "release")
    parser.add_argument(
        "--folder", type=pathlib.Path, default=ROOT / "build" / "seeded_faults" / "nights"
    )
    parser.add_argument("--shared", type=pathlib.Path, required=True)
    parser.add_argument("--fresh", action="store_true")
    options = parser.parse_args()
    if options.fresh:
        shutil.rmtree(options.folder, ignore_errors=True)
    year = Year(options.folder, options.build, options.shared)
    year.prepare()
    nights = []
    for number, day in enumerate(year.days()):
        night = year.night(number, day)
        nights.append(night)
        print(
            f"{day}: {night.status} {night.verdict} {night.promises}, {night.backward} backward, "
            f"{night.forward} forward, {night.seconds:.0f} s {night.problems}",
            flush=True,
        )
    fsck = year.must("fsck", "--archive", str(year.archive), "--read-data").strip().splitlines()[-1]
    fsck = fsck.partition(" is ")[2].rstrip(".")
    records = len(json.loads(year.must("list", "--archive", str(year.archive), "--format", "json")))
    write_if_changed(PAGE, page(nights, records, fsck).encode())
    return 0 if all(night.is_green() for night in nights) else 1


if __name__ == "__main__":
    end_with(main)
