#!/usr/bin/env python3
"""docs/seeded_faults/README.md: the totals of the three experiments, from their own pages.

bench/seeded_faults/overview.py           writes the page
bench/seeded_faults/overview.py --check   fails if the page is out of date, if the page of the
                                          rooms is of other faults than exist, or if a fault's
                                          place is no longer in the sources
"""

import collections
import dataclasses
import pathlib
import re
import sys

from experiment import Broken, end_with
from source_faults import Fault, digest, place_of, read_faults

HERE = pathlib.Path(__file__).resolve().parent
ROOT = HERE.parent.parent
PAGES = ROOT / "docs" / "seeded_faults"
PAGE = PAGES / "README.md"


HEAD = """# Seeded faults

These experiments show whether Vintage detects an error and attributes it to its place: errors are
inserted on purpose, one at a time. `bench/seeded_faults/overview.py` writes this page from the
pages of the experiments; change nothing here by hand.
"""
HOW = """

## How

**The engine** (`bench/seeded_faults/engine.py`). `vintage-worker-faults` is the engine with one
damaged kernel. A whole `vintage nightly` runs with it as tonight's build; it must end red, and the
first suspect of its report must be the damaged operation and primitive.

**The other rooms** (`bench/seeded_faults/rooms.py`). Each fault in `bench/seeded_faults/rooms/`
is an error that an engineer could make: the place, the original and the faulty expression, and
the tests that should catch it. The program writes a copy of the sources in which every such place
reads `(seeded("name") ? (faulty) : (original))`, builds it once, checks that the tests pass while
no fault is chosen, and then chooses each in turn by an environment variable. The product's own
sources hold no switch. Where no test failed, a test was missing, and was written.

**Nights** (`bench/seeded_faults/nights.py`). A simulated year into one archive, which also knows
the real releases by their facts and holds real artifacts with their own dates: [each
night](nights.md).

If the place of a fault changes, correct the fault's file; `overview.py --check`, a test, names it.
"""


@dataclasses.dataclass(frozen=True)
class Totals:
    faults: int
    tried: int
    caught: int
    attributed: int


def found(pattern: str, page: str) -> re.Match[str]:
    text = (PAGES / page).read_text(encoding="utf-8")
    match = re.search(pattern, text)
    if match is None:
        raise Broken(f"docs/seeded_faults/{page} does not say: {pattern}")
    return match


def totals_of_engine() -> Totals:
    match = found(r"Of (\d+) faults (\d+) turn the run red, and (\d+) are attributed", "engine.md")
    faults, caught, attributed = map(int, match.groups())
    return Totals(faults, faults, caught, attributed)


def totals_of_rooms() -> dict[str, Totals]:
    rows = re.findall(
        r"^\| \[([a-z/]+)\]\(\S+\) \| (\d+) \| (\d+) \| (\d+) \| (\d+) \|$",
        (PAGES / "rooms.md").read_text(encoding="utf-8"),
        re.MULTILINE,
    )
    return {room: Totals(*map(int, numbers)) for room, *numbers in rows}


def overview() -> str:
    engine = totals_of_engine()
    rooms = {"harness/engine": engine, **totals_of_rooms()}
    whole = [
        sum(getattr(one, field.name) for one in rooms.values())
        for field in dataclasses.fields(Totals)
    ]
    nights = found(r"Of (\d+) nights from (\S+) to (\S+) (\d+) are green", "nights.md")
    again = found(r"Without a fault (\d+) of (\d+) nights in a row", "engine.md")
    lines = [
        HEAD,
        f"Of {whole[0]} faults {whole[1]} were tried; {whole[2]} are caught, and {whole[3]} are",
        "attributed to the operation, target, rule or comparator that is damaged.",
        f"Of {nights[1]} nights of a simulated year without a fault, {nights[2]} to {nights[3]},",
        f"{nights[4]} are green; of {again[2]} nights over all static cases {again[1]}.",
        "",
        "| Room | Faults | Tried | Caught | Attributed | By |",
        "| --- | --- | --- | --- | --- | --- |",
    ]
    for room, one in rooms.items():
        by = "[a nightly run](engine.md)" if room == "harness/engine" else "[its tests](rooms.md)"
        lines.append(
            f"| {room} | {one.faults} | {one.tried} | {one.caught} | {one.attributed} | {by} |"
        )
    return "\n".join(lines) + HOW


def problems(faults: list[Fault]) -> list[str]:
    mistakes = []
    if found(r"<!-- faults: (\w+) -->", "rooms.md")[1] != digest(faults):
        mistakes.append("docs/seeded_faults/rooms.md is of other faults: run rooms.py")
    if not PAGE.is_file() or PAGE.read_text(encoding="utf-8") != overview():
        mistakes.append(
            "docs/seeded_faults/README.md is out of date: run bench/seeded_faults/overview.py"
        )
    for fault in faults:
        try:
            place_of(fault, (ROOT / fault.file).read_text(encoding="utf-8"))
        except (Broken, FileNotFoundError) as problem:
            mistakes.append(
                f"bench/seeded_faults/rooms/{fault.room.replace('/', '_')}.toml: {problem}"
            )
    counts = collections.Counter(fault.room for fault in faults)
    mistakes += [
        f"docs/seeded_faults/rooms.md counts {one.faults} faults of {room}, not {counts[room]}"
        for room, one in totals_of_rooms().items()
        if one.faults != counts[room]
    ]
    return mistakes


def main() -> int:
    if sys.argv[1:] == ["--check"]:
        mistakes = problems(read_faults(HERE / "rooms"))
        print("\n".join(mistakes))
        return 1 if mistakes else 0
    PAGE.write_text(overview(), encoding="utf-8")
    return 0


if __name__ == "__main__":
    end_with(main)
