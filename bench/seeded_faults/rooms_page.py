"""Writes docs/seeded_faults/rooms.md: the result of each fault."""

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


def caught_by(fault: Fault, outcome: Outcome) -> str:
    if not outcome.caught:
        return "nothing"
    by = f"`{fault.program}` {outcome.by[0] if outcome.by else ''}"
    if len(outcome.by) > 1:
        by += f" and {len(outcome.by) - 1} more"
    return by + (f" ({outcome.ended})" if outcome.ended in ("crashed", "timeout") else "")


def page(faults: list[Fault], outcomes: dict[str, Outcome], untold: int) -> str:
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
        "fails. *Attributed*: one of the tests fails that the fault names as those that should",
        "catch it.",
        "",
        f"Of {len(faults)} faults {len(outcomes)} were tried; {caught} are caught, and",
        f"{attributed} are attributed. {untold} more are in `bench/seeded_faults/open.toml`: no test",
        "catches them yet, or another check corrects them.",
        "",
        "| Room | Faults | Tried | Caught | Attributed |",
        "| --- | --- | --- | --- | --- |",
    ]
    for room in rooms:
        named = [fault.name for fault in faults if fault.room == room]
        ours = [outcomes[name] for name in named if name in outcomes]
        lines.append(
            f"| [{room}](#{room.replace('/', '')}) | {len(named)} | {len(ours)} | "
            f"{sum(one.caught for one in ours)} | {sum(one.attributed for one in ours)} |"
        )
    for room in rooms:
        lines += [
            "",
            f"## {room}",
            "",
            "| Fault | Error | In | Caught by | Attributed |",
            "| --- | --- | --- | --- | --- |",
        ]
        for fault in faults:
            if fault.room != room:
                continue
            place = fault.file.removeprefix(room + "/")
            outcome = outcomes.get(fault.name)
            by = "not tried" if outcome is None else cell(caught_by(fault, outcome))
            attributed_too = "yes" if outcome is not None and outcome.attributed else "no"
            lines.append(
                f"| `{fault.name}` | {cell(fault.wrong)} | `{place}` | {by} | {attributed_too} |"
            )
    return "\n".join(lines) + "\n"
