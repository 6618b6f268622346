"""docs/seeded_faults/rooms.md: what became of each fault."""

import collections
import dataclasses

from source_faults import Fault


@dataclasses.dataclass(frozen=True)
class Outcome:
    caught: bool
    attributed: bool
    by: list[str]
    ended: str


def cell(text: str) -> str:
    return text.replace("|", "\\|").replace("[", "\\[").replace("]", "\\]")


def page(faults: list[Fault], outcomes: dict[str, Outcome]) -> str:
    caught = sum(outcome.caught for outcome in outcomes.values())
    attributed = sum(outcome.attributed for outcome in outcomes.values())
    rooms = collections.Counter(fault.room for fault in faults)
    lines = [
        "# Seeded faults of the rooms beside the engine",
        "",
        "Written by `bench/seeded_faults/rooms.py` from `bench/seeded_faults/rooms/`; change",
        "nothing here by hand.",
        "",
        "Each fault is an error that an engineer could make at one place of a room. A copy of the",
        "sources holds all of them behind a switch; the tests run once for each. *Caught*: a test",
        "fails. *Attributed*: one of the tests fails that were named before as those that have to",
        "catch it.",
        "",
        f"Of {len(outcomes)} faults {caught} are caught, and {attributed} are attributed.",
        "",
        "| Room | Faults | Caught | Attributed |",
        "| --- | --- | --- | --- |",
    ]
    for room in rooms:
        ours = [outcomes[fault.name] for fault in faults if fault.room == room]
        lines.append(
            f"| [{room}](#{room.replace('/', '')}) | {len(ours)} | "
            f"{sum(one.caught for one in ours)} | {sum(one.attributed for one in ours)} |"
        )
    for room in rooms:
        lines += [
            "",
            f"## {room}",
            "",
            "| Fault | What is wrong | In | Caught by | Attributed |",
            "| --- | --- | --- | --- | --- |",
        ]
        for fault in faults:
            if fault.room != room:
                continue
            outcome = outcomes[fault.name]
            by = f"`{fault.program}` {outcome.by[0]}" if outcome.by else "nothing"
            if len(outcome.by) > 1:
                by += f" and {len(outcome.by) - 1} more"
            if outcome.ended in ("crashed", "timeout"):
                by += f" ({outcome.ended})"
            place = fault.file.removeprefix(room + "/")
            lines.append(
                f"| `{fault.name}` | {cell(fault.wrong)} | `{place}` | {cell(by)} | "
                f"{'yes' if outcome.attributed else 'no'} |"
            )
    return "\n".join(lines) + "\n"
