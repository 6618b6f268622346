"""The cases: publicly reported breaks between releases of JAX, read from cases/*.toml."""

from dataclasses import dataclass
from pathlib import Path
from typing import Any

import tomllib

HERE = Path(__file__).resolve().parent

# How the bad release ends, as child.py or the system says it, for each kind.
KINDS = {
    "wrong value": ("wrong",),
    "crash": ("crashed", "hung"),
    "refusal": ("refused",),
    "slow": (),
}


@dataclass(frozen=True)
class Case:
    name: str  # Of a function in programs/.
    issue: str  # Where it was reported.
    kind: str
    good: str  # A release where it works,
    bad: (
        str  # and the next one tried where it does not; the earlier of the two where it was mended.
    )
    shows: str  # In a sentence.
    primitives: tuple[str, ...]  # Patterns of JAX's, for those that it is about.
    x64: bool = False
    size: str = ""  # Of what became slow.
    # The release that exports what both read; none: the program is traced by each.
    producer: str = ""
    # Of the readers: "warm" has lowered a program of its own before, "fresh" has not.
    condition: str = "warm"
    environment: tuple[tuple[str, str], ...] = ()
    artifact: bool = True  # False: about a process, not a program; no archive can hold it.

    @property
    def mended(self) -> bool:
        """Whether no release before the bad one works: it was always so, and was mended."""
        return _key(self.bad) < _key(self.good)


@dataclass(frozen=True)
class Tried:
    issue: str
    good: str
    bad: str
    why: str  # The attempt, and why it counts as not reproduced.


def _key(release: str) -> tuple[int, ...]:
    return tuple(int(part) for part in release.split("."))


def _case(table: dict[str, Any]) -> Case:
    table = {**table, "primitives": tuple(table["primitives"])}
    table["environment"] = tuple(sorted(table.get("environment", {}).items()))
    case = Case(**table)
    if case.kind not in KINDS:
        raise SystemExit(f"{case.name}: the kind is '{case.kind}'; there are {', '.join(KINDS)}")
    return case


def read_cases() -> list[Case]:
    cases = [
        _case(table)
        for file in sorted((HERE / "cases").glob("*.toml"))
        for table in tomllib.loads(file.read_text(encoding="utf-8")).get("case", [])
    ]
    names = [case.name for case in cases]
    twice = sorted({name for name in names if names.count(name) > 1})
    if twice:
        raise SystemExit(f"cases/: two cases are called {', '.join(twice)}")
    return sorted(cases, key=lambda case: (_key(case.bad), case.issue, case.name))


def read_tried() -> list[Tried]:
    text = (HERE / "cases" / "tried.toml").read_text(encoding="utf-8")
    return [Tried(**table) for table in tomllib.loads(text)["tried"]]
