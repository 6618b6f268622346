"""Writes docs/seeded_faults/rooms.md: the result of each fault."""

import collections
import dataclasses

from source_faults import Fault, digest


@dataclasses.dataclass(frozen=True)
class Outcome:
    caught: bool
    attributed: bool
    by: list[str]
    ended: str


def ending(outcome: Outcome | None) -> str:
    """Empty where the named tests failed, as they should."""
    if outcome is None:
        return "not tried"
    if not outcome.caught:
        return "**not caught**"
    ended = {"crashed": "the tests crash", "timeout": "the tests time out"}.get(outcome.ended, "")
    return ended if outcome.attributed else f"**not attributed** {ended}".strip()


def page(faults: list[Fault], outcomes: dict[str, Outcome], untold: int) -> str:
    caught = sum(outcome.caught for outcome in outcomes.values())
    attributed = sum(outcome.attributed for outcome in outcomes.values())
    rooms = collections.Counter(fault.room for fault in faults)
    lines = [
        "# Seeded faults of the rooms beside the engine",
        "",
        "Written by `bench/seeded_faults/rooms.py` from `bench/seeded_faults/rooms/`; change",
        f"nothing here by hand. <!-- faults: {digest(faults)} -->",
        "",
        "Each fault is an error that an engineer could make at one place of a room. A copy of the",
        "sources holds all of them behind a switch; the tests run once for each. *Caught*: a test",
        "fails. *Attributed*: one of the tests fails that the fault names as those that should",
        "catch it. The room's file has the error, its place and these tests by the fault's name.",
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
        place = f"../../bench/seeded_faults/rooms/{room.replace('/', '_')}.toml"
        lines.append(
            f"| [{room}]({place}) | {len(named)} | {len(ours)} | "
            f"{sum(one.caught for one in ours)} | {sum(one.attributed for one in ours)} |"
        )
    unusual = collections.defaultdict(list)
    for fault in faults:
        if said := ending(outcomes.get(fault.name)):
            unusual[said].append(fault.name)
    lines += ["", *(f"- {said}: {', '.join(some)}" for said, some in unusual.items())]
    return "\n".join(lines) + "\n"
