"""Faults of the rooms beside the engine, as data, and a tree that holds them all.

`rooms/*.toml`, one file for each room:

    [[fault]]
    name = "backward_day_181"                       # unique among all files
    wrong = "the backward window ends a day late"   # the error, in a sentence
    file = "archive/records/window_policy.cpp"
    original = "..."      # occurs once in the file; or once in `within`, which does
    faulty = "..."
    caught_by = "harness.WindowPolicy.Borders*"     # the tests that should catch it

An original that ends with ';' or '}' is a statement, others are expressions; an empty
`faulty` drops the statement. `caught_by` is the name of a test program, and suites of it or
patterns of its tests, as in "harness.Window:Policy.Spans*".

In the copy each place reads `(seeded("name") ? (faulty) : (original))`, so that one
build holds all faults; the environment variable VINTAGE_SOURCE_FAULT chooses one for
a process and those that it starts. The product's own sources hold no switch.
"""

import dataclasses
import hashlib
import pathlib
import shutil
import subprocess
import tomllib

from experiment import Broken

HEADER = "seeded_fault.h"
CHOSEN = "VINTAGE_SOURCE_FAULT"
MARKER = ".tree_of_seeded_faults"
SWITCH = f"""#pragma once
#include <cstdlib>
#include <string_view>
inline bool seeded(std::string_view name) {{
  static const char* const chosen = std::getenv("{CHOSEN}");
  return chosen != nullptr && name == chosen;
}}
"""


@dataclasses.dataclass(frozen=True)
class Fault:
    room: str
    name: str
    wrong: str
    file: str
    original: str
    faulty: str
    caught_by: str
    within: str = ""

    @property
    def program(self) -> str:
        return self.caught_by.partition(".")[0]

    @property
    def place(self) -> list[str]:
        return [self.file, self.within, self.original, self.faulty]

    @property
    def patterns(self) -> list[str]:
        named = self.caught_by.partition(".")[2].split(":")
        return [name if "." in name else name + ".*" for name in named]

    @property
    def filter(self) -> str:
        return ":".join(self.patterns)


def digest(faults: list[Fault]) -> str:
    """Another one as soon as a fault or its error has another name."""
    text = "\n".join(f"{fault.name}: {fault.wrong}" for fault in faults)
    return hashlib.sha256(text.encode()).hexdigest()[:12]


def read_faults(folder: pathlib.Path) -> list[Fault]:
    faults: list[Fault] = []
    for path in sorted(folder.glob("*.toml")):
        document = tomllib.loads(path.read_text(encoding="utf-8"))
        faults += [Fault(room=document["room"], **line) for line in document["fault"]]
    names = [fault.name for fault in faults]
    twice = sorted({name for name in names if names.count(name) > 1})
    if twice:
        raise Broken(f"two faults of one name: {', '.join(twice)}")
    return faults


def switched(fault: Fault, original: str) -> str:
    if fault.original.rstrip().endswith((";", "}")):
        return f'{{ if (::seeded("{fault.name}")) {{ {fault.faulty} }} else {{ {original} }} }}'
    return f'(::seeded("{fault.name}") ? ({fault.faulty}) : ({original}))'


def check_once(fault: Fault, part: str, text: str) -> None:
    if text.count(part) != 1:
        raise Broken(f"{fault.name}: {fault.file} holds {text.count(part)} times: {part}")


def place_of(fault: Fault, text: str) -> tuple[int, int]:
    """Where the original begins and ends in the file's text."""
    start = 0
    around = text
    if fault.within:
        check_once(fault, fault.within, text)
        start, around = text.index(fault.within), fault.within
    check_once(fault, fault.original, around)
    start += around.index(fault.original)
    return start, start + len(fault.original)


def with_faults(text: str, faults: list[Fault]) -> str:
    """The source of one file with all its faults behind their switches.

    Two faults may be at one place, or one inside the other."""
    places = sorted(
        ((*place_of(fault, text), fault) for fault in faults),
        key=lambda place: (place[0], -place[1]),
    )

    def rendered(start: int, end: int, inside: list[tuple[int, int, Fault]]) -> str:
        out, at = "", start
        while inside:
            first, last, fault = inside[0]
            rest = inside[1:]
            within = [place for place in rest if place[0] < last]
            inside = [place for place in rest if place[0] >= last]
            if any(place[1] > last for place in within):
                raise Broken(f"{fault.name} and another overlap in {fault.file}")
            out += text[at:first] + switched(fault, rendered(first, last, within))
            at = last
        return out + text[at:end]

    return f'#include "{HEADER}"\n{rendered(0, len(text), places)}'


def write_if_changed(path: pathlib.Path, content: bytes) -> None:
    if path.is_file() and path.read_bytes() == content:
        return
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(content)


def write_tree(source: pathlib.Path, tree: pathlib.Path, faults: list[Fault]) -> None:
    """A copy of the sources with all faults; unchanged files keep their dates."""
    if tree.is_dir() and any(tree.iterdir()) and not (tree / MARKER).exists():
        raise Broken(f"{tree} is no tree of seeded faults: choose an empty folder")
    listed = subprocess.run(
        ["git", "-C", str(source), "ls-files", "--cached", "--others", "--exclude-standard", "-z"],
        capture_output=True,
        text=True,
        check=True,
    ).stdout.split("\0")
    of_file: dict[str, list[Fault]] = {}
    for fault in faults:
        of_file.setdefault(fault.file, []).append(fault)
    tree.mkdir(parents=True, exist_ok=True)
    (tree / MARKER).touch()
    write_if_changed(tree / HEADER, SWITCH.encode())
    for name in filter(None, listed):
        path = source / name
        if not path.is_file():
            continue  # Removed, and not yet committed.
        content = path.read_bytes()
        if name in of_file:
            content = with_faults(content.decode(), of_file.pop(name)).encode()
        write_if_changed(tree / name, content)
        shutil.copymode(path, tree / name)
    if of_file:
        raise Broken(f"no such file: {', '.join(of_file)}")
