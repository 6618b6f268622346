#!/usr/bin/env python3
"""What a night costs: every static case for the CPU generated, exported, archived,
replayed and told in tables, twice (the second night finds everything archived).

    bench/nightly_bench.py [BUILD_FOLDER] [--json]

Prints the seconds of each phase as `vintage nightly` reports its progress, and
the largest resident memory of the program and of its workers. Exit status 1
where a limit is missed: 60 s, 2 GiB.
"""
import json
import os
import pty
import re
import resource
import subprocess
import sys
import tempfile
import time

LIMIT_SECONDS = 60
LIMIT_BYTES = 2 << 30


def run(vintage, archive, out):
    """Seconds by phase: a phase lasts until the next one's first progress line."""
    parent, child = pty.openpty()
    command = [vintage, "nightly", "--archive", archive, "--today", "2026-11-20", "--out", out]
    start = time.monotonic()
    process = subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=child, close_fds=True)
    os.close(child)
    begun = [("start", start)]
    while True:
        try:
            text = os.read(parent, 65536).decode("utf-8", "replace")
        except OSError:
            break
        if not text:
            break
        for line in re.split(r"[\r\n]+", re.sub(r"\x1b\[[0-9;?]*[A-Za-z]", "", text)):
            phase = re.match(r"\s*([a-z][a-z ]*[a-z])", line)
            if phase and phase.group(1) != begun[-1][0]:
                begun.append((phase.group(1), time.monotonic()))
    process.wait()
    end = time.monotonic()
    os.close(parent)
    phases = {}
    for (name, at), (_, until) in zip(begun, begun[1:] + [("end", end)]):
        phases[name] = phases.get(name, 0.0) + until - at
    return process.returncode, end - start, phases


def main():
    arguments = [a for a in sys.argv[1:] if a != "--json"]
    vintage = os.path.join(arguments[0] if arguments else "build/release", "bin", "vintage")
    nights = []
    with tempfile.TemporaryDirectory() as folder:
        for night in ("first", "again"):
            status, seconds, phases = run(vintage, folder + "/archive", f"{folder}/{night}")
            nights.append({"night": night, "status": status, "seconds": seconds, "phases": phases})
    # Of the largest of all processes that were waited for, workers among them.
    peak = resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss * 1024
    if "--json" in sys.argv:
        print(json.dumps({"nights": nights, "peak_bytes": peak}, indent=1))
    else:
        for night in nights:
            print(f"{night['night']} night: {night['seconds']:.1f} s, exit status {night['status']}")
            for phase, seconds in night["phases"].items():
                print(f"  {seconds:7.1f} s  {phase}")
        print(f"largest resident memory of a process: {peak / (1 << 20):.0f} MiB")
    worst = max(night["seconds"] for night in nights)
    broken = any(night["status"] != 0 for night in nights)
    return 1 if broken or worst > LIMIT_SECONDS or peak > LIMIT_BYTES else 0


if __name__ == "__main__":
    sys.exit(main())
