"""The text of docs/measured/speed.md."""

import math
from collections.abc import Iterable
from dataclasses import dataclass
from fnmatch import fnmatchcase
from pathlib import Path
from typing import Any

import tomllib

_Entry = dict[str, Any]
_MORE, _LESS = ("slower", "larger"), ("faster", "smaller")

_RULE = """\
A release exports the idioms of the size axis (`produce --cases sized`) and the models (`--cases
models`) for itself and for all that follow within 180 days; then the release before the next one
does. At least the smaller half of the models is measured, and of each primitive of the size axis
one idiom, of the loops all, in one dtype (f32, where it has that) and its largest size. Where an
idiom changed, its other sizes are measured too: three and more show how it grows. An idiom that
changed at its small sizes only is missed. Pairs *without models* were measured on no model. Workers
measure at least four rounds, and twelve where they find a change
([speed.md](../reference/speed.md)).

A change is the ratio of the later release to the one before it, for what became less the other way
round, as the function's artifact with the largest shows it. Behind it stand the later value and,
where the function's growth with its size was measured, the exponents. `model:…` is a model, the
others are idioms. speed.json has the interval and the rounds of each. Differences below 5 µs of a
run, 1 ms of compiling and 4 KiB are none. The last column names what was reported in public of the
release and looks the same; it was not looked at for each change.
`bench/release_speed/reported.toml` has the list.
"""


@dataclass(frozen=True)
class Reported:
    issue: str
    after: str  # The release that brought it.
    functions: tuple[str, ...]  # Patterns.
    quantity: str = "run"

    def explains(self, after: str, change: _Entry) -> bool:
        return (
            after == self.after
            and change["quantity"] == self.quantity
            and change["class"] in _MORE
            and any(fnmatchcase(change["function"], pattern) for pattern in self.functions)
        )


def read_reported() -> list[Reported]:
    file = Path(__file__).resolve().parent / "reported.toml"
    tables = tomllib.loads(file.read_text(encoding="utf-8")).get("reported", [])
    return [Reported(**{**table, "functions": tuple(table["functions"])}) for table in tables]


def _link(issue: str) -> str:
    owner, name, _, number = issue.removeprefix("https://github.com/").split("/")
    return f"[{'' if name == 'jax' else f'{owner}/{name} '}#{number}]({issue})"


def _row(cells: Iterable[object]) -> str:
    return "| " + " | ".join(str(cell).replace("|", "\\|") for cell in cells) + " |"


def _table(titles: list[str], rows: list[list[object]]) -> list[str]:
    return [_row(titles), _row(["---"] * len(titles)), *map(_row, rows), ""]


def _digits(value: float) -> str:
    return f"{value:,.0f}" if value >= 100 else f"{value:.3g}"


def _amount(quantity: str, value: float) -> str:
    units = [(1 << 20, "MiB"), (1 << 10, "KiB")] if quantity == "memory" else [
        (1, "s"), (1e-3, "ms"), (1e-6, "µs")]  # fmt: skip
    size, unit = next((each for each in units if value >= each[0]), units[-1])
    return f"{_digits(value / size)} {unit}"


def _part(pair: _Entry) -> str:
    models = int(pair["models"])
    return ", whole" if pair["whole"] else f", {models} models" if models else ", without models"


def _interval(change: _Entry) -> str:
    if change["rounds"] == 0:
        return "exactly"
    return f"{_digits(change['low'])} to {_digits(change['high'])}, {change['rounds']} rounds"


def _exponents(change: _Entry) -> str:
    if "exponent_before" not in change:
        return ""
    return f"{change['exponent_before']:.1f} → {change['exponent_after']:.1f}"


def _change(change: _Entry) -> str:
    name = change["function"].removesuffix("/cpu").removeprefix("sized:").removesuffix("_n*")
    after, exponents = _amount(change["quantity"], change["after"]), _exponents(change)
    grows = f", exponent {exponents}" if exponents else ""
    return f"`{name}` {_digits(change['value'])} ({after}{grows})"


def _changes(pairs: list[_Entry], classes: tuple[str, ...], reported: list[Reported]) -> list[str]:
    found = [
        (pair, change) for pair in pairs for change in pair["changes"] if change["class"] in classes
    ]
    found.sort(key=lambda each: -each[1]["value"])
    groups: dict[tuple[str, str, str], list[str]] = {}
    for pair, change in found:
        reports = [_link(each.issue) for each in reported if each.explains(pair["after"], change)]
        key = (pair["after"], change["quantity"], ", ".join(reports))
        groups.setdefault(key, []).append(_change(change))
    rows: list[list[object]] = [
        [release, quantity, "; ".join(changes), reports]
        for (release, quantity, reports), changes in groups.items()
    ]
    return _table(["release", "quantity", "changes", "reported"], rows)


def _pairs(pairs: list[_Entry]) -> list[str]:
    rows: list[list[object]] = [
        [pair["after"], pair["after_date"], pair["before"], pair["producer"],
         f"{pair['measured']}{_part(pair)}", len(pair["changes"]), pair["no_difference"],
         pair["not_resolved"], pair["not_measured"]]
        for pair in pairs
    ]  # fmt: skip
    return _table(["release", "published", "beside", "exported by", "artifacts", "changes",
                   "no difference", "not resolved", "not measured"], rows)  # fmt: skip


def _twins(twins: list[_Entry]) -> list[str]:
    if not twins:
        return []
    quantities = sum(3 * twin["measured"] for twin in twins)
    alarms = [alarm for twin in twins for alarm in twin["alarms"]]
    minutes = sum(twin["seconds"] for twin in twins) / 60
    in_a_minute = sum(twin["measured"] for twin in twins) / minutes
    unresolved = sum(twin["not_resolved"] for twin in twins)
    loads = [twin["machine"]["load"] for twin in twins]
    lines = [
        "## False alarms", "",
        f"A release beside a copy of its environment under another name, on what it exported of "
        f"the size axis, {len(twins)} times while other work made a load average of {min(loads)} "
        f"to {max(loads)}: {len(alarms)} alarms in {quantities:,} quantities, {unresolved} are not "
        f"resolved. One core measured {in_a_minute:.0f} artifacts a minute on both builds.", "",
    ]  # fmt: skip
    lines += [
        f"- {alarm['quantity']} of `{alarm['smallest']}`: {alarm['class']}, "
        f"{_digits(alarm['value'])} times ({_interval(alarm)})"
        for alarm in alarms
    ]
    return lines


def _bisects(bisects: list[_Entry]) -> list[str]:
    if not bisects:
        return []
    rows: list[list[object]] = [
        [f"`{one['function'].removesuffix('/cpu')}`", one["producer"],
         f"{one['good']} to {one['bad']}, {one['releases']} releases",
         f"{_digits(one['value'])} ({_interval(one)})", _exponents(one), one["window_seconds"],
         one["first_bad"], f"{math.floor(1e4 * one['confidence']) / 100} %", one["probes"],
         one["seconds"], f"`{one['command']}`"]
        for one in bisects
    ]  # fmt: skip
    return [
        "## Bisects", "",
        "`vintage window --speed` compared the function, exported by an early release, on the "
        "first and the last of some releases; `vintage bisect` then found the one that made it "
        "slower, by its smallest slower artifact.", "",
        *_table(["function", "exported by", "searched", "times", "exponent", "compared, s",
                 "first slower", "confidence", "probes", "bisected, s", "command"], rows),
    ]  # fmt: skip


def _introduction(pairs: list[_Entry]) -> list[str]:
    releases = {side for pair in pairs for side in (pair["before"], pair["after"])}
    machines = [pair["machine"] for pair in pairs]
    named = sorted({f"{one['cores']} cores of {one['processor']}" for one in machines})
    days = sorted({one["day"] for one in machines})
    loads = [one["load"] for one in machines if "load" in one]
    when = days[0] if len(days) == 1 else f"{days[0]} to {days[-1]}"
    changes = sum(len(pair["changes"]) for pair in pairs)
    return [
        "# Speed and memory of each release of JAX beside the one before it", "",
        f"{len(releases)} releases in {len(pairs)} pairs of neighbours, on programs that both run: "
        f"{sum(pair['measured'] for pair in pairs):,} measurements of an artifact on two releases, "
        f"{changes} changes of a function by 1.5 or more. "
        f"{sum(pair['no_difference'] for pair in pairs):,} quantities of an artifact show no such "
        f"difference, and {sum(pair['not_resolved'] for pair in pairs)} are not resolved.", "",
        f"Measured in turns on one core by processor time, {when}, "
        f"on {', '.join(named)}; other work made a load average of up to {max(loads)}. "
        "Written by `bench/release_speed/release_speed.py` from docs/measured/speed.json.",
        "",
    ]  # fmt: skip


def page(data: dict[str, Any], reported: list[Reported]) -> str:
    pairs = data["pairs"]
    lines = [*_introduction(pairs), _RULE]
    lines += ["## Slower or larger", "", *_changes(pairs, _MORE, reported)]
    lines += ["## Faster or smaller", "", *_changes(pairs, _LESS, reported)]
    lines += ["## The pairs of releases", "", *_pairs(pairs)]
    lines += [*_bisects(data.get("bisects", [])), *_twins(data.get("twins", []))]
    return "\n".join(lines).rstrip() + "\n"
