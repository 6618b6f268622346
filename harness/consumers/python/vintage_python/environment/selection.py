"""Which releases a request means, and the interpreter that each one takes."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from vintage_python.environment.interpreters import Interpreter
from vintage_python.environment.package_index import Release
from vintage_python.environment.pairings import pairing_of
from vintage_python.environment.versions import Window, in_range, neighbours, parse_version
from vintage_python.failure import Failure, UsageFailure


@dataclass(frozen=True)
class Choice:
    release: Release
    interpreter: Interpreter


@dataclass
class Selection:
    chosen: list[Choice] = field(default_factory=list)
    left_out: list[tuple[str, str]] = field(default_factory=list)  # A release, and why.
    failed: list[tuple[str, str]] = field(default_factory=list)  # One that was named, and why.


def fitting(release: Release, interpreters: Sequence[Interpreter]) -> Interpreter | None:
    """The newest interpreter here that the release has a wheel for."""
    pairing = pairing_of(release.framework, release.version)
    for interpreter in interpreters:
        if interpreter.tag in release.pythons and pairing.suits(interpreter.version[:2]):
            return interpreter
    return None


def _pythons_that_would_do(release: Release) -> list[str]:
    pairing = pairing_of(release.framework, release.version)
    pairs = sorted((int(tag[2]), int(tag[3:])) for tag in release.pythons)
    return [f"{major}.{minor}" for major, minor in pairs if pairing.suits((major, minor))]


def wrong_interpreter(release: Release, interpreters: Sequence[Interpreter]) -> str:
    here = ", ".join(f"{each.text} ({each.executable})" for each in interpreters) or "none"
    would_do = ", ".join(_pythons_that_would_do(release)) or "a version that it has a wheel for"
    return f"{release.framework.project} {release.version} needs Python {would_do}; here are {here}"


def choose_one(
    wanted: str, releases: Mapping[str, Release], interpreters: Sequence[Interpreter]
) -> Choice:
    """A release by its number; `0.12` is the newest of those that begin with it."""
    number = parse_version(wanted)
    if wanted not in releases and len(number) == 2:
        patches = [v for v in releases if parse_version(v)[:2] == number]
        fits = [v for v in patches if fitting(releases[v], interpreters) is not None]
        wanted = (fits or patches or [wanted])[-1]
    if wanted not in releases:
        near = neighbours(wanted, list(releases))
        project = next(iter(releases.values())).framework.project
        raise Failure(
            f"{project} {wanted} does not exist as a wheel for this machine; the nearest are {near}"
        )
    interpreter = fitting(releases[wanted], interpreters)
    if interpreter is None:
        raise Failure(
            f"{wrong_interpreter(releases[wanted], interpreters)}. Install one of them, or "
            "register an environment of your own with --python PATH"
        )
    return Choice(releases[wanted], interpreter)


def _latest(releases: Mapping[str, Release], interpreters: Sequence[Interpreter]) -> Selection:
    """The newest that an interpreter here can have; newer ones are left out by name."""
    left_out: list[tuple[str, str]] = []
    for version in reversed(list(releases)):
        interpreter = fitting(releases[version], interpreters)
        if interpreter is not None:
            return Selection([Choice(releases[version], interpreter)], left_out)
        left_out.append((version, wrong_interpreter(releases[version], interpreters)))
    raise Failure(f"no release fits an interpreter here: {left_out[0][1]}")


def _several(
    versions: Sequence[str], releases: Mapping[str, Release], interpreters: Sequence[Interpreter]
) -> Selection:
    selection = Selection()
    for version in versions:
        interpreter = fitting(releases[version], interpreters)
        if interpreter is None:
            why = wrong_interpreter(releases[version], interpreters)
            selection.left_out.append((version, why))
        else:
            selection.chosen.append(Choice(releases[version], interpreter))
    return selection


def select(
    requests: Sequence[str],
    releases: Mapping[str, Release],
    interpreters: Sequence[Interpreter],
    window: Window,
) -> Selection:
    """Each release once, in the order of versions. One that was named and cannot be had does not
    keep the others from being made."""
    chosen: dict[str, Choice] = {}
    left_out: dict[str, str] = {}
    failed: dict[str, str] = {}
    for request in requests:
        if request == "latest":
            part = _latest(releases, interpreters)
        elif request == "window":
            if all(each.released is None for each in releases.values()):
                raise UsageFailure("a folder of wheels names no days; name the releases")
            covered = [v for v, r in releases.items() if r.released and window.covers(r.released)]
            if not covered:
                raise Failure(f"no release is covered by the promises of {window.today}")
            part = _several(covered, releases, interpreters)
        elif ".." in request:
            part = _several(in_range(request, list(releases)), releases, interpreters)
        else:
            try:
                part = Selection([choose_one(request, releases, interpreters)])
            except UsageFailure:
                raise
            except Failure as failure:
                failed[request] = str(failure)
                continue
        chosen |= {each.release.version: each for each in part.chosen}
        left_out |= dict(part.left_out)
    ordered = sorted(chosen, key=parse_version)
    return Selection(
        [chosen[version] for version in ordered], sorted(left_out.items()), sorted(failed.items())
    )
