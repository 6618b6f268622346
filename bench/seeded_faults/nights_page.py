"""Writes docs/seeded_faults/nights.md: the result of each night."""

import dataclasses
import itertools


@dataclasses.dataclass
class Night:
    day: str
    released: str
    part: int
    status: int
    verdict: str
    promises: dict[str, str]
    exported: int  # Artifacts.
    builds: list[str]  # Others than tonight's that ran.
    same: int  # Builds of the forward window that are tonight's program.
    backward: int  # Pairs.
    forward: int
    oldest: int  # Days: the oldest artifact that ran.
    outside: int  # Artifacts of the part's primitives that are too old for any promise.
    cells: dict[str, int]
    problems: list[str]
    seconds: float

    def is_green(self) -> bool:
        return (
            self.status == 0
            and self.verdict == "holds"
            and not self.problems
            and set(self.promises.values()) == {"holds"}
        )


def page(nights: list[Night], records: int, fsck: str) -> str:
    green = sum(night.is_green() for night in nights)
    failed = sum(
        night.cells["fail"] + night.cells["unexpected pass"] + night.cells["runner error"]
        for night in nights
    )
    earlier = len({build for night in nights for build in night.builds})
    lines = [
        "# A simulated year without a fault",
        "",
        "Written by `bench/seeded_faults/nights.py`, which describes a night; change nothing",
        "here by hand.",
        "",
        f"Of {len(nights)} nights from {nights[0].day} to {nights[-1].day} {green} are green:",
        "they exit with 0, and every promise that was judged holds. They ran",
        f"{sum(night.backward for night in nights)} pairs under the backward promise and",
        f"{sum(night.forward for night in nights)} under the forward one, on {earlier} builds of",
        f"earlier nights too; {failed} failed otherwise than declared. At the end the archive held",
        f"{records} artifacts. `vintage fsck --read-data`: {fsck}.",
        "",
        "*Forward builds*: the most builds of the forward window with another program than",
        "tonight's that ran its artifacts in one night. *Oldest*: the age in days of the oldest",
        "artifact that ran. *Outside*: artifacts of a night's primitives that are older than the",
        "window, and did not run.",
        "",
        "| Month | Nights | Exported | Forward builds | Backward pairs | Forward pairs | Oldest | "
        "Outside | Failed as declared |",
        "| --- | --- | --- | --- | --- | --- | --- | --- | --- |",
    ]
    for month, group in itertools.groupby(nights, lambda night: night.day[:7]):
        some = list(group)
        cells = [
            month,
            len(some),
            sum(night.exported for night in some),
            max(len(night.builds) for night in some),
            sum(night.backward for night in some),
            sum(night.forward for night in some),
            max(night.oldest for night in some),
            sum(night.outside for night in some),
            sum(night.cells["expected failure"] for night in some),
        ]
        lines.append(f"| {' | '.join(map(str, cells))} |")
    released = [f"{night.released} on {night.day}" for night in nights if night.released]
    lines += ["", f"Releases of jaxlib that were published on a night: {', '.join(released)}."]
    for night in nights:
        if not night.is_green():
            promises = ", ".join(f"{name} {kind}" for name, kind in sorted(night.promises.items()))
            lines += ["", f"**{night.day}** exits with {night.status}: {night.verdict}; {promises}"]
            lines += [f"- {problem}" for problem in night.problems]
    return "\n".join(lines) + "\n"
