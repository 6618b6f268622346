#!/usr/bin/env python3
"""Measures the build time of two revisions from a bare checkout, one after the other.

    bench/build_time.py BEFORE AFTER [--page bench/build_time.md] [--jobs N]

Each revision is cloned into a folder of its own and configured by its own release
preset, without ccache. Two steps are timed: the programs that `make nightly` builds,
and the additional ones of `make test`. The steps of the two revisions alternate, so that
a machine that gets slower slows both. Wall time depends on other load; processor time,
the sum over all compilers and linkers, hardly does.
"""

import argparse
import os
import platform
import resource
import subprocess
import sys
import tempfile
import time
from dataclasses import dataclass
from pathlib import Path

STEPS = {
    "`make nightly`: vintage and its worker": ["--target", "vintage", "vintage-worker"],
    "`make test`: the rest": [],
}


@dataclass
class Duration:
    wall: float
    processor: float


def timed(command: list[str], folder: Path, environment: dict[str, str]) -> Duration:
    """Runs a command to its end; shows its output only if it fails."""
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    start = time.monotonic()
    ended = subprocess.run(
        command,
        cwd=folder,
        env=environment,
        text=True,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        check=False,
    )
    wall = time.monotonic() - start
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    if ended.returncode != 0:
        sys.exit(f"{' '.join(command)} failed in {folder}:\n{ended.stdout[-4000:]}")
    return Duration(wall, after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime)


def minutes(seconds: float) -> str:
    whole = round(seconds)
    return f"{whole // 60} min {whole % 60:02} s"


def page(revisions: list[str], taken: dict[tuple[str, str], Duration], jobs: int) -> str:
    before, after = revisions
    lines = [
        "# Build time",
        "",
        f"Written by `bench/build_time.py {before} {after}`: from a bare checkout, without ccache,",
        f"`-j {jobs}`, on {os.cpu_count()} cores ({platform.machine()}). Wall time depends on what else ran,",
        "processor time hardly does.",
        "",
        f"| step | {before}: wall | {after}: wall | of it | {before}: processor | {after}: processor | of it |",
        "| --- | ---: | ---: | ---: | ---: | ---: | ---: |",
    ]
    for step in STEPS:
        if (before, step) not in taken or (after, step) not in taken:
            continue  # The page is written after each step; this one comes later.
        old, new = taken[before, step], taken[after, step]
        lines.append(
            f"| {step} | {minutes(old.wall)} | {minutes(new.wall)} | {new.wall / old.wall:.0%} "
            f"| {minutes(old.processor)} | {minutes(new.processor)} | {new.processor / old.processor:.0%} |"
        )
    return "\n".join(lines) + "\n"


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("before")
    parser.add_argument("after")
    parser.add_argument(
        "--page", type=Path, help="where the table goes; standard output without it"
    )
    parser.add_argument("--jobs", type=int, default=os.cpu_count())
    arguments = parser.parse_args()
    revisions = [arguments.before, arguments.after]
    source = Path(__file__).resolve().parent.parent
    environment = dict(os.environ, CCACHE_DISABLE="1")
    taken: dict[tuple[str, str], Duration] = {}
    with tempfile.TemporaryDirectory(prefix="build_time.") as temporary:
        for revision in revisions:
            folder = Path(temporary) / revision
            subprocess.run(["git", "clone", "--quiet", str(source), str(folder)], check=True)
            subprocess.run(["git", "checkout", "--quiet", revision], cwd=folder, check=True)
            timed(["cmake", "--preset", "release"], folder, environment)
        for step, targets in STEPS.items():
            for revision in revisions:
                command = [
                    "cmake",
                    "--build",
                    "--preset",
                    "release",
                    "-j",
                    str(arguments.jobs),
                    *targets,
                ]
                taken[revision, step] = timed(command, Path(temporary) / revision, environment)
                took = taken[revision, step]
                print(
                    f"{revision}, {step}: {minutes(took.wall)}, processor {minutes(took.processor)}",
                    file=sys.stderr,
                )
            if arguments.page:
                arguments.page.write_text(page(revisions, taken, arguments.jobs), encoding="utf-8")
    if not arguments.page:
        print(page(revisions, taken, arguments.jobs), end="")


if __name__ == "__main__":
    main()
