"""Which releases a request means, and the interpreter that each one takes."""

from collections.abc import Container, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import date, timedelta

from vintage_python.environment.releases import Release, parse_version
from vintage_python.environment.uv import Interpreter
from vintage_python.failure import Failure, UsageFailure


@dataclass(frozen=True)
class Window:
    """The days on which the promises of a day look."""

    today: date
    backward_days: int
    forward_days: int

    def covers(self, released: date) -> bool:
        """Whether one of the promises names a build of that day: as the producer
        of an old artifact, or as the consumer of a new one."""
        reach = max(self.backward_days, self.forward_days)
        return self.today - timedelta(days=reach) <= released <= self.today


@dataclass(frozen=True)
class Choice:
    release: Release
    interpreter: Interpreter


@dataclass
class Selection:
    chosen: list[Choice] = field(default_factory=list)
    left_out: list[tuple[str, str]] = field(default_factory=list)  # A release, and why.
    failed: list[tuple[str, str]] = field(default_factory=list)  # One that was named, and why.


def in_range(text: str, known: Sequence[str]) -> list[str]:
    """The known releases of `A..B`. Both ends are inside, and an end stands for
    everything that begins with it: 0.12 for 0.12.0.1. An end that is left out bounds nothing."""
    first, _, last = text.partition("..")
    low, high = (parse_version(end) if end else () for end in (first, last))
    if high and low > high:
        raise UsageFailure(f"the range {text} ends before it begins; write {last}..{first}")
    chosen = [v for v in known if low <= (n := parse_version(v)) and n[: len(high)] <= high]
    if not chosen:
        raise UsageFailure(f"no release lies in {text}; known are {known[0]} to {known[-1]}")
    return chosen


def spaced(meant: Sequence[str], releases: Mapping[str, Release], days: int) -> list[str]:
    """Those that are at least so many days younger than the one before."""
    chosen: list[str] = []
    last: date | None = None
    for version in sorted(meant, key=lambda version: releases[version].released or date.max):
        day = releases[version].released
        if not (last and day and day - last < timedelta(days)):
            chosen.append(version)
            last = day
    return chosen


def neighbours(wanted: str, known: Sequence[str]) -> str:
    """'0.4.36 and 0.4.38', for a message about 0.4.37."""
    number = parse_version(wanted)
    before = [v for v in known if parse_version(v) < number][-1:]
    after = [v for v in known if parse_version(v) > number][:1]
    return " and ".join(before + after)


def _covered(releases: Mapping[str, Release], window: Window) -> list[str]:
    if all(each.released is None for each in releases.values()):
        raise UsageFailure("a folder of wheels names no days; name the releases")
    covered = [v for v, r in releases.items() if r.released and window.covers(r.released)]
    if not covered:
        raise Failure(f"no release is covered by the promises of {window.today}")
    return covered


def _wrong_interpreter(release: Release, interpreters: Sequence[Interpreter]) -> str:
    here = ", ".join(f"{each.version} ({each.path})" for each in interpreters)
    would_do = ", ".join(sorted(release.pythons, key=parse_version))
    return f"{release.framework.project} {release.version} needs Python {would_do}; here are {here}"


def _why_not(release: Release, interpreters: Sequence[Interpreter]) -> str:
    return release.withdrawn or _wrong_interpreter(release, interpreters)


def select(
    requests: Sequence[str],
    releases: Mapping[str, Release],
    interpreters: Sequence[Interpreter],
    window: Window,
    every: int = 0,
) -> Selection:
    """Each release once, in the order of versions, with the newest interpreter that it has a wheel
    for. One that was named and cannot be had does not keep the others from being made. One that
    was withdrawn is for who names it in full. `every`: the least days between releases of a
    range."""
    known = list(releases)
    fitting = {  # The newest interpreter comes last, and stays.
        version: Choice(release, interpreter)
        for version, release in releases.items()
        for interpreter in reversed(interpreters)
        if interpreter.python in release.pythons
    }
    standing = [version for version in fitting if not releases[version].withdrawn]
    meant: list[str] = []
    selection = Selection()
    for request in requests:
        if request == "latest":
            if not standing:
                why = _why_not(releases[known[-1]], interpreters)
                raise Failure(f"no release fits an interpreter here: {why}")
            meant += known[known.index(standing[-1]) :]  # Newer ones are left out by name.
        elif request == "window":
            meant += _covered(releases, window)
        elif ".." in request:
            among = standing if every else known
            meant += spaced(in_range(request, among or known), releases, every)
        elif one := _newest(request, known, {*standing, *({request} & set(fitting))}):
            meant.append(one)
        elif (one := _newest(request, known, known)) in fitting:
            selection.failed.append((request, f"{releases[one].withdrawn}; {one} names it"))
        elif one:
            why = _wrong_interpreter(releases[one], interpreters)
            advice = "'uv python install' installs one; --python PATH registers an own environment"
            selection.failed.append((request, f"{why}. {advice}"))
        else:
            project = releases[known[0]].framework.project
            why = f"{project} {request} does not exist as a wheel for this machine"
            near = neighbours(request, known)
            selection.failed.append((request, f"{why}; the nearest are {near}"))
    for version in sorted(set(meant), key=parse_version):
        if version in standing or (version in fitting and version in requests):
            selection.chosen.append(fitting[version])
        else:
            selection.left_out.append((version, _why_not(releases[version], interpreters)))
    return selection


def _newest(wanted: str, known: Sequence[str], among: Container[str]) -> str:
    """A release by its number; `0.12` is the newest of those that begin with it."""
    number = parse_version(wanted)
    begin = [v for v in known if len(number) == 2 and parse_version(v)[:2] == number]
    named = [wanted] if wanted in known else begin
    return next((version for version in reversed(named) if version in among), "")
