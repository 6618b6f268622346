"""Runs archived artifacts on a build: by default on the JAX of this interpreter."""

import os
import sys
from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any

from vintage.program import VintageError, run

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
    """pass, mismatch, error, crash, timeout, unsupported"""
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
        return f"{self.name} ({self.producer}): {self.outcome}{said}"


@dataclass(frozen=True)
class Skip:
    """One artifact that was chosen and not run."""

    name: str
    reason: str
    declared: bool
    """True if a limitation says not to try it; otherwise it is missing."""


@dataclass(frozen=True)
class Report:
    """The results of an archive on a build."""

    build: str
    verdict: str
    """holds, compiles, broken, nothing passed, nothing ran, cannot tell"""
    pairs: tuple[Pair, ...]
    skipped: tuple[Skip, ...]
    exit_status: int
    """0: it holds; 1: it does not; 3: cannot tell; 4: nothing ran (docs/verdicts.md)."""
    reasons: tuple[str, ...]
    """The reasons for the verdict: its sentence, then broken and missing artifacts."""

    @property
    def failures(self) -> tuple[Pair, ...]:
        return tuple(pair for pair in self.pairs if pair.failed)

    def raise_for_failures(self) -> None:
        """Raises an AssertionError unless the verdict is that it holds.

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
        said = [*map(str, failures), *self.reasons]
        return "\n".join([head, *(f"  {line}" for line in said)])


def check(
    archive: str | os.PathLike[str],
    build: str | None = None,
    *,
    artifacts: Iterable[str] = (),
    names: Iterable[str] = (),
    scope: Iterable[str] = (),
    today: str | None = None,
    timeout: float = 600,
) -> Report:
    """Runs the artifacts of an archive on a build, and compares the outputs with the goldens.

    `build` is the name of a registered build, or `"engine"`; by default the JAX of this
    interpreter, which is registered. `artifacts` are ids and `names` patterns with * and ?; by
    default all are run. `scope` names the platforms that the verdict is about; by default all.
    `timeout` is in seconds for one artifact.

    >>> report = vintage.check("models")
    >>> report.verdict
    'holds'
    """
    command = ["replay", "--archive", os.fspath(archive), "--timeout", str(timeout)]
    if build is None:
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
    return Report(
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
