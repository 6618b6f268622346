#!/usr/bin/env python3
"""clang-tidy over the files that are named, with the checks of .clang-tidy.

    cmake/tidy.py [--build build/release] [--jobs 2] FILE.cpp ...

It needs the build's generated headers. The build joins several files into one unit, whose headers
are read once: a unit with one of the files is checked as a whole. compile_commands.json gives
folders and definitions, and not one file's flags: the build precompiles headers.
"""

import argparse
import json
import os
import re
import shlex
import subprocess
import sys
from collections.abc import Iterable
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

INCLUDED = re.compile(r'^#include "(.*)"$', re.M)


def shared_flags(entries: Iterable[dict[str, str]]) -> list[str]:
    flags: dict[str, None] = {}
    for entry in entries:
        words = shlex.split(entry["command"])
        for word, following in zip(words, [*words[1:], ""], strict=True):
            if word == "-isystem":
                flags["-isystem" + following] = None
            elif word.startswith(("-I", "-D")):
                flags[word] = None
    return list(flags)


def units_of(files: set[str], entries: Iterable[dict[str, str]], root: str) -> list[str]:
    """Files that no unit has are checked alone."""
    left, units = set(files), []
    for entry in entries:
        unit = Path(entry["file"])
        if unit.parent.name != "Unity" or not unit.is_file():
            continue
        parts = {os.path.relpath(path, root) for path in INCLUDED.findall(unit.read_text())}
        if parts & files:
            units.append(str(unit))
            left -= parts
    return [*units, *sorted(left)]


def main() -> int:
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--build", type=Path, default=Path("build/release"))
    parser.add_argument("--jobs", type=int, default=os.cpu_count())
    parser.add_argument("files", nargs="+")
    options = parser.parse_args()
    commands = options.build / "compile_commands.json"
    if not commands.is_file():
        print(f"{commands}: there is no such file; 'make check' builds first", file=sys.stderr)
        return 3
    entries = json.loads(commands.read_text())
    flags = ["--", "-std=c++20", *shared_flags(entries)]

    def check(unit: str) -> bool:
        called = subprocess.run(
            ["clang-tidy", "--quiet", unit, *flags],
            capture_output=True,
            text=True,
            check=False,
        )
        if called.returncode:
            print(f"{unit}:\n{called.stdout}{called.stderr}", flush=True)
        return called.returncode == 0

    with ThreadPoolExecutor(options.jobs) as pool:
        clean = list(pool.map(check, units_of(set(options.files), entries, os.getcwd())))
    return 0 if all(clean) else 1


if __name__ == "__main__":
    sys.exit(main())
