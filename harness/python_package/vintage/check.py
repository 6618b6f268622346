"""Runs archived artifacts on a build: by default on the JAX of this interpreter."""

import os
import sys
from collections.abc import Iterable
from dataclasses import dataclass, replace
from typing import Any

from vintage.program import VintageError, run
from vintage.visible import visible

ENGINE = "engine"
"""The build that comes with Vintage: its embedded engine."""

# A run that breaks no promise, one that does, one without a verdict, and one with nothing to run.
_VERDICTS = (0, 1, 3, 4)


@dataclass(frozen=True)
class Pair:
    """One artifact on the build."""

    name: str
    artifact: str
    producer: str
    outcome: str
    """pass, mismatch, error, crash, timeout, unsupported, compiled, not comparable"""
    stage: str
    detail: str
    """The whole message of the build; empty on a pass."""
    cell: str
    """pass, expected failure, unexpected pass, fail, …: the outcome, with limitations applied."""
    command: str
    """The command that runs it again."""

    @property
    def failed(self) -> bool:
        return self.cell in ("fail", "runner error")

    def __str__(self) -> str:
        line = self.detail.strip().split("\n", 1)[0]
        said = f" in stage {self.stage}: {line}" if line else ""
        return visible(f"{self.name} ({self.producer}): {self.outcome}{said}")


@dataclass(frozen=True)
class Skip:
    """One artifact that was chosen and not run."""

    name: str
    reason: str
    declared: bool
    """True if a limitation says not to try it; otherwise it is missing."""


@dataclass(frozen=True)
class Slower:
    """One artifact that takes longer on the build than on another."""

    name: str
    artifact: str
    beside: str
    """The build beside which it was measured."""
    ratio: float
    low: float
    high: float
    """The interval in which the ratio lies."""
    command: str
    """Measures it again."""

    def __str__(self) -> str:
        return visible(
            f"{self.name}: it runs {self.ratio:.3g} times as long as on {self.beside} "
            f"({self.low:.3g} to {self.high:.3g})"
        )


@dataclass(frozen=True)
class Report:
    """The results of an archive on a build."""

    build: str
    verdict: str
    """holds, compiles, broken, nothing passed, nothing ran, cannot tell"""
    pairs: tuple[Pair, ...]
    skipped: tuple[Skip, ...]
    exit_status: int
    """0: it holds or compiles; 1: it does not; 3: cannot tell; 4: nothing ran."""
    reasons: tuple[str, ...]
    """The reasons for the verdict: its sentence, then broken and missing artifacts."""
    slower: tuple[Slower, ...] = ()
    """With `speed`: the artifacts beyond it, which make the verdict broken."""
    speed_unknown: tuple[Skip, ...] = ()
    """Artifacts that pass, and were not measured or are not known well enough."""

    @property
    def failures(self) -> tuple[Pair, ...]:
        return tuple(pair for pair in self.pairs if pair.failed)

    def raise_for_failures(self) -> None:
        """Raises an AssertionError unless the verdict is that it holds, or compiles.

        The error names each artifact that failed, or says why there is no verdict.
        """
        if self.exit_status:
            raise AssertionError(str(self))

    def __str__(self) -> str:
        failures = self.failures
        head = (
            f"{len(self.pairs)} artifacts on {self.build}: {len(failures)} fail; "
            f"verdict: {self.verdict}"
        )
        said = [*map(str, failures), *map(str, self.slower), *self.reasons]
        return visible("\n".join([head, *(f"  {line}" for line in said)]))


def check(
    archive: str | os.PathLike[str],
    build: str | None = None,
    *,
    artifacts: Iterable[str] = (),
    names: Iterable[str] = (),
    scope: Iterable[str] = (),
    today: str | None = None,
    timeout: float = 600,
    speed: float | None = None,
    beside: str | None = None,
) -> Report:
    """Runs the artifacts of an archive on a build, and compares the outputs with the goldens.

    `build` is the name of a registered build, or `"engine"`; by default the JAX of this
    interpreter, which is registered. `artifacts` are ids and `names` patterns with * and ?; by
    default all are run. `scope` names the platforms that the verdict is about; by default all.
    `timeout` is in seconds for one artifact.

    With `speed`, what passes is also measured (docs/reference/speed.md), on the build and on the
    registered build `beside`, by default that of the JAX which exported the artifact: it breaks the
    verdict that one runs more than `speed` times as long. Where that build is not registered, and
    where the ratio is not known well enough, the verdict is that it cannot tell.

    >>> report = vintage.check("models")
    >>> report.verdict
    'holds'
    """
    command = ["replay", "--archive", os.fspath(archive), "--timeout", str(timeout)]
    if build is None:
        # An archive that is not there is an error; to register would make one.
        run("builds", "list", "--archive", os.fspath(archive))
        build = register_installed(archive, today=today)
    if build != ENGINE:
        command += ["--build", build]
    for option, values in (("--id", artifacts), ("--name", names), ("--scope", scope)):
        for value in values:
            command += [option, value]
    if today:
        command += ["--today", today]
    answer = run(*command, allowed=_VERDICTS)
    if "pairs" not in answer:
        raise VintageError(str(answer.get("error", "replay answered without pairs")), 3)
    report = Report(
        build,
        str(answer["verdict"]),
        tuple(
            Pair(**{field: str(said[field]) for field in Pair.__dataclass_fields__})
            for said in answer["pairs"]
        ),
        tuple(
            Skip(str(one["name"]), str(one["reason"]), bool(one["declared"]))
            for one in answer["skipped"]
        ),
        int(answer["exit_status"]),
        tuple(map(str, answer["reasons"])),
    )
    return report if speed is None else _with_speed(report, archive, speed, beside)


def _with_speed(
    report: Report, archive: str | os.PathLike[str], speed: float, beside: str | None
) -> Report:
    builds = _builds(archive)
    if report.build not in [build["name"] for build in builds]:
        raise VintageError(f"speed: {report.build} is no registered build of the archive", 2)
    slower: list[Slower] = []
    unknown: list[Skip] = []
    for pair in report.pairs:
        if pair.outcome != "pass":
            continue
        base = beside or _build_of(pair.producer, builds)
        if base is None:
            why = f"no registered build is {pair.producer}; register it, or name one with beside"
            unknown.append(Skip(pair.name, why, False))
        elif base != report.build:
            _measure(pair, report.build, base, archive, speed, slower, unknown)
    if not slower and not unknown:
        return report
    verdict, status = report.verdict, report.exit_status
    if slower:
        verdict, status = "broken", 1
    elif status == 0:
        verdict, status = "cannot tell", 3
    return replace(
        report, verdict=verdict, exit_status=status, slower=tuple(slower),
        speed_unknown=tuple(unknown),
        reasons=(*report.reasons, *(f"{one.name}: {one.reason}" for one in unknown)),
    )  # fmt: skip


def _build_of(producer: str, builds: list[dict[str, Any]]) -> str | None:
    """The build that starts the JAX which a producer's name says: "jax 0.5.0"."""
    for build in builds:
        if build["command"] and producer in (build["name"], f"jax {build['version']}"):
            return str(build["name"])
    return None


def _measure(
    pair: Pair, build: str, base: str, archive: str | os.PathLike[str], speed: float,
    slower: list[Slower], unknown: list[Skip],
) -> None:  # fmt: skip
    answer = run(
        "run", pair.artifact, "--archive", archive, "--build", base, "--build", build, "--speed",
        "--slower", str(speed), allowed=_VERDICTS,
    )  # fmt: skip
    for finding in answer["findings"]:
        if finding["breaks"] and finding["measured"]["quantity"] == "run":
            ratio = finding["measured"]["ratio"]
            command = f"{finding['command']} --slower {speed}"
            slower.append(Slower(pair.name, pair.artifact, base, ratio["value"], ratio["low"],
                                 ratio["high"], command))  # fmt: skip
            return
    if answer["verdict"] != "holds":
        artifacts = [one for all_ in answer["comparisons"] for one in all_["artifacts"]]
        problems = [one["problem"] for one in artifacts if one.get("problem")]
        said = problems[0] if problems else "the ratio is not known well enough"
        unknown.append(Skip(pair.name, f"beside {base}: {said}", False))


def register_installed(
    archive: str | os.PathLike[str], *, released: str | None = None, today: str | None = None
) -> str:
    """Registers the JAX of this interpreter as a build of the archive, and returns its name.

    The day on which it was released decides which promises cover it. The package index provides the
    day; without a network pass `released="YYYY-MM-DD"`.
    """
    import jax

    for build in _builds(archive):  # One whose JAX is still the same.
        started = build["command"]
        if started and started[0] == sys.executable and build["version"] == jax.__version__:
            return str(build["name"])
    command = ["builds", "add", "--archive", os.fspath(archive), "--python", sys.executable]
    if released:
        command += ["--date", released]
    if today:
        command += ["--today", today]
    answer = run(*command)
    return str(answer["registered"][0]["name"])


def installed_day(archive: str | os.PathLike[str], *, released: str | None = None) -> str:
    """The date of the build of this interpreter's JAX, which is registered if necessary."""
    name = register_installed(archive, released=released)
    return next(str(build["build_date"]) for build in _builds(archive) if build["name"] == name)


def _builds(archive: str | os.PathLike[str]) -> list[dict[str, Any]]:
    if not os.path.isdir(archive):
        return []
    return list(run("builds", "list", "--archive", os.fspath(archive)))
