#!/usr/bin/env python3
"""Measures the cost of a night: cases generated, exported, archived, replayed in both modes and
written into tables; for the static cases for the CPU, and for the whole catalogue. Each twice:
the second night finds everything archived.

    bench/nightly_bench.py [BUILD_FOLDER] [--json]

The breakdown is the list of phases in the report of `vintage nightly`. Their wall times add up
to the whole, together with parts that are not in the report (the program's start, and writing
the report itself); the busy times of a phase's parts are spread over several threads and
processes. Memory is the sampled resident memory of the program and all its workers together,
with shared pages counted once for each. Exit status 1 if a night is not green or the static
cases for the CPU exceed a limit: 60 s, 2 GiB.
"""

import json
import os
import subprocess
import sys
import tempfile
import threading
import time

LIMIT_SECONDS = 60
LIMIT_BYTES = 2 << 30
SAMPLE_SECONDS = 0.02
CHOICES = {
    "static cases for the CPU": ["--variant", "static", "--platform", "cpu"],
    "the whole catalogue": [],
}


def resident(pid):
    """Bytes of a process and its children; 0 where it is gone."""
    try:
        with open(f"/proc/{pid}/statm", encoding="ascii") as file:
            total = int(file.read().split()[1]) * os.sysconf("SC_PAGE_SIZE")
        for thread in os.listdir(f"/proc/{pid}/task"):
            with open(f"/proc/{pid}/task/{thread}/children", encoding="ascii") as file:
                total += sum(resident(int(child)) for child in file.read().split())
        return total
    except (FileNotFoundError, ProcessLookupError):
        return 0


class Peak:
    """The largest resident memory of a process that was seen."""

    def __init__(self, pid):
        self.bytes = 0
        self._ended = threading.Event()
        self._thread = threading.Thread(target=self._watch, args=(pid,))
        self._thread.start()

    def _watch(self, pid):
        while not self._ended.wait(SAMPLE_SECONDS):
            self.bytes = max(self.bytes, resident(pid))

    def end(self):
        self._ended.set()
        self._thread.join()
        return self.bytes


def run(vintage, archive, out, choice):
    command = [
        vintage,
        "nightly",
        "--archive",
        archive,
        "--today",
        "2026-11-20",
        "--out",
        out,
        "--mode",
        "graph",
        "eager",
        *choice,
    ]
    start = time.monotonic()
    process = subprocess.Popen(command, stdout=subprocess.DEVNULL)
    peak = Peak(process.pid)
    process.wait()
    seconds = time.monotonic() - start
    with open(os.path.join(out, "report.json"), encoding="utf-8") as file:
        report = json.load(file)
    listed = subprocess.run(
        [vintage, "list", "--archive", archive, "--count"],
        capture_output=True,
        text=True,
        check=True,
    ).stdout.strip()
    return {
        "status": process.returncode,
        "seconds": seconds,
        "peak_bytes": peak.end(),
        "archived": listed,
        "ran": report["counts"]["ran"],
        "phases": report["phases"],
    }


def tell(what, night):
    print(
        f"{what}: {night['seconds']:.1f} s, {night['peak_bytes'] / (1 << 20):.0f} MiB, "
        f"{night['archived']}, {night['ran']} pairs ran, exit status {night['status']}"
    )
    rest = night["seconds"]
    for phase in night["phases"]:
        rest -= phase["wall_seconds"]
        print(f"  {phase['wall_seconds']:7.2f} s  {phase['phase']}")
        for part in phase["parts"]:
            print(f"             {part['busy_seconds']:7.2f} s busy  {part['part']}")
    print(f"  {rest:7.2f} s  start, and writing the report")


def main():
    arguments = [a for a in sys.argv[1:] if a != "--json"]
    vintage = os.path.join(arguments[0] if arguments else "build/release", "bin", "vintage")
    nights = []
    for what, choice in CHOICES.items():
        with tempfile.TemporaryDirectory() as folder:
            for which in ("first night", "again"):
                night = run(vintage, folder + "/archive", f"{folder}/{which}", choice)
                nights.append({"what": what, "which": which, **night})
                if "--json" not in sys.argv:
                    tell(f"{what}, {which}", night)
    if "--json" in sys.argv:
        print(json.dumps({"processors": os.cpu_count(), "nights": nights}, indent=1))
    limited = [night for night in nights if night["what"] == next(iter(CHOICES))]
    missed = any(
        night["seconds"] > LIMIT_SECONDS or night["peak_bytes"] > LIMIT_BYTES for night in limited
    )
    return 1 if missed or any(night["status"] != 0 for night in nights) else 0


if __name__ == "__main__":
    sys.exit(main())
