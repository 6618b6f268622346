#!/usr/bin/env python3
"""The amount of source by room: lines, files, and files of fewer than 60 lines.

    bench/lines.py                    of the checkout's last commit
    bench/lines.py --before REVISION  beside those of another commit

It counts files that git tracks below golden, primitives, archive, harness and reports: neither
tests nor benchmarks.
"""

import argparse
import subprocess
from collections import defaultdict
from dataclasses import dataclass
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
FOLDERS = ["golden", "primitives", "archive", "harness", "reports"]
SHORT = 60


@dataclass
class Size:
    lines: int = 0
    files: int = 0
    short: int = 0


def room_of(path: str) -> str:
    parts = path.split("/")
    return "/".join(parts[:2]) if len(parts) > 2 else parts[0]


def sizes(revision: str) -> dict[str, Size]:
    rooms: dict[str, Size] = defaultdict(Size)
    counted = subprocess.run(
        ["git", "grep", "-c", "", revision, "--", *FOLDERS],
        cwd=ROOT,
        check=True,
        text=True,
        stdout=subprocess.PIPE,
    ).stdout
    for line in counted.splitlines():  # REVISION:PATH:LINES
        path, count = line.removeprefix(revision + ":").rsplit(":", 1)
        for name in (room_of(path), "all"):
            room = rooms[name]
            room.lines += int(count)
            room.files += 1
            room.short += int(count) < SHORT
    return rooms


def row(name: str, columns: list[Size]) -> str:
    cells = [name]
    for size in columns:
        cells += [f"{size.lines:,}", str(size.files), str(size.short)]
    if len(columns) == 2:
        cells.append(f"{columns[1].lines - columns[0].lines:+,}")
    return "| " + " | ".join(cells) + " |"


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--before", metavar="REVISION", help="a commit to compare with")
    options = parser.parse_args()
    columns = [sizes(revision) for revision in (options.before, "HEAD") if revision]
    names = sorted({name for column in columns for name in column} - {"all"})
    titles = ["room"] + [
        f"{what}{when}"
        for when in ([" before", ""] if options.before else [""])
        for what in ("lines", "files", f"below {SHORT}")
    ]
    if options.before:
        titles.append("change")
    print("| " + " | ".join(titles) + " |")
    print("|" + " --- |" * len(titles))
    for name in [*names, "all"]:
        print(row(name, [column.get(name, Size()) for column in columns]))


if __name__ == "__main__":
    main()
