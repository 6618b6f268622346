#!/usr/bin/env python3
"""Draws the rooms of cmake/rooms.txt into docs/explanation/architecture.md, as Mermaid.

    docs/explanation/draw_rooms.py           writes the drawing
    docs/explanation/draw_rooms.py --check   fails where the drawing is out of date

An arrow goes from a room to one that it may use. An arrow that follows from
others is left out.
"""

import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
PAGE = ROOT / "docs" / "explanation" / "architecture.md"
BEGIN = "<!-- drawing of the rooms -->\n"
END = "<!-- end of drawing -->\n"


def read_rooms() -> dict[str, set[str]]:
    rooms: dict[str, set[str]] = {}
    for line in (ROOT / "cmake" / "rooms.txt").read_text().splitlines():
        if line and not line.startswith("#"):
            room, _, uses = line.partition(":")
            rooms[room] = set(uses.split())
    return rooms


def reachable(rooms: dict[str, set[str]], start: str) -> set[str]:
    found: set[str] = set()
    waiting = [start]
    while waiting:
        for used in rooms[waiting.pop()] - found:
            found.add(used)
            waiting.append(used)
    return found


def drawing(rooms: dict[str, set[str]]) -> str:
    lines = ["```mermaid", "graph TD"]
    for layer in dict.fromkeys(room.split("/")[0] for room in rooms):
        lines.append(f"  subgraph {layer}")
        for room in rooms:
            if room.split("/")[0] == layer:
                name = room.partition("/")[2] or room
                lines.append(f'    {room.replace("/", "_")}["{name}"]')
        lines.append("  end")
    for room, uses in rooms.items():
        indirect: set[str] = set()
        for used in uses:
            indirect |= reachable(rooms, used)
        if direct := sorted(used.replace("/", "_") for used in uses - indirect):
            lines.append(f"  {room.replace('/', '_')} --> {' & '.join(direct)}")
    return "\n".join(lines + ["```"]) + "\n"


def main() -> int:
    text = PAGE.read_text()
    before, begin, rest = text.partition(BEGIN)
    _, end, after = rest.partition(END)
    if not begin or not end:
        print(f"{PAGE}: the marks around the drawing are missing", file=sys.stderr)
        return 3
    new = before + begin + drawing(read_rooms()) + end + after
    if "--check" in sys.argv[1:]:
        if new != text:
            print(
                f"{PAGE}: the drawing is not that of cmake/rooms.txt; run docs/explanation/draw_rooms.py",
                file=sys.stderr,
            )
            return 1
        return 0
    PAGE.write_text(new)
    return 0


if __name__ == "__main__":
    sys.exit(main())
