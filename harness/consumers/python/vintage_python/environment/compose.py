"""An environment: an interpreter of its own over shared packages.

ROOT/environments/jax-0.8.1-py3.13/
    bin/python              a link to the interpreter
    pyvenv.cfg              makes it a virtual environment
    lib/python3.13/site-packages/vintage.pth    the packages, by their places
    environment.json        what it is made of, and what the release says of itself
"""

from __future__ import annotations

import json
import os
import subprocess
from collections.abc import Sequence
from dataclasses import asdict, dataclass
from datetime import date
from pathlib import Path
from typing import Any

from vintage_python.environment.interpreters import Interpreter
from vintage_python.environment.package_index import Release
from vintage_python.environment.resolve import resolve
from vintage_python.environment.selection import Choice
from vintage_python.environment.versions import parse_version
from vintage_python.environment.wheel_store import (
    WheelStore,
    partial_folder,
    put_in_place,
    remove_leftovers,
)
from vintage_python.failure import Failure
from vintage_python.framework import Framework
from vintage_python.progress import note

VERSION = 1
_DESCRIBE_SECONDS = 300


@dataclass(frozen=True)
class Package:
    name: str
    version: str
    wheel: str
    sha256: str


@dataclass(frozen=True)
class Request:
    """What all environments of one call share."""

    root: Path
    wheels: Path | None
    hashes: dict[str, str]  # By wheel: what the caller says that they are.
    released: str  # Instead of the index's day; empty: none.


def make_environment(
    choice: Choice, interpreters: Sequence[Interpreter], request: Request
) -> dict[str, Any]:
    """The environment of a release, made where there is no whole one."""
    framework, version = choice.release.framework, choice.release.version
    interpreter, what = choice.interpreter, f"{framework.name} {version}"
    environments = request.root / "environments"
    place = environments / f"{framework.name}-{version}-py{interpreter.python}"
    store = WheelStore(request.root)
    remove_leftovers(request.root)
    environments.mkdir(exist_ok=True)
    if (kept := _read_whole(framework, place, store)) is not None:
        return kept
    note(f"{what}: finding its wheels for Python {interpreter.python}")
    wheels = resolve(framework, version, interpreter, interpreters, request.wheels)
    packages = []
    for wheel in wheels:
        promised = request.hashes.get(wheel.filename, "")
        sha256 = store.take(wheel, interpreter, interpreters, promised)
        packages.append(Package(wheel.name, wheel.version, wheel.filename, sha256))
    released = request.released or (
        choice.release.released.isoformat() if choice.release.released else ""
    )
    built = next(
        store.built(each.sha256) for each in packages if each.name == framework.wheel_prefix
    )
    companion = choice.release.companion_released
    # Under the root the packages are as far away as from the environment's own place.
    with partial_folder(request.root) as folder:
        made = folder / "environment"
        lay_out(made, interpreter, store, [package.sha256 for package in packages])
        note(f"{what}: asking the release what it is")
        runtime = describe(framework, str(made / "bin/python"), released, built)
        record = {
            "format": framework.record_format,
            "version": VERSION,
            "name": runtime["name"],
            "release": version,
            "released": runtime["released"],
            f"{framework.name}_released": companion.isoformat() if companion else "",
            "released_by": "the caller" if request.released
            else "the index" if released else "the wheel",
            "python": {"executable": interpreter.executable, "version": interpreter.text},
            "packages": [asdict(package) for package in packages],
            "runtime": runtime,
        }  # fmt: skip
        (made / "environment.json").write_text(json.dumps(record, indent=1) + "\n")
        if place.exists():  # Broken: what made it whole is gone.
            os.rename(place, folder / "broken")
        put_in_place(made, place)
    return record | {"path": str(place)}


def _start_lines(content: Path) -> list[str]:
    """What a package has each interpreter do at its start."""
    lines = [
        line
        for path in sorted(content.glob("*.pth"))
        for line in path.read_text(encoding="utf-8").splitlines()
    ]
    return [f"{line}\n" for line in lines if line.startswith(("import ", "import\t"))]


def lay_out(made: Path, interpreter: Interpreter, store: WheelStore, hashes: Sequence[str]) -> None:
    site = made / "lib" / f"python{interpreter.python}" / "site-packages"
    site.mkdir(parents=True)
    (made / "bin").mkdir()
    for name in ("python", "python3"):
        (made / "bin" / name).symlink_to(interpreter.base)
    (made / "pyvenv.cfg").write_text(
        f"home = {os.path.dirname(interpreter.base)}\n"
        "include-system-site-packages = false\n"
        f"version = {interpreter.text}\n"
    )
    # Relative, so that the whole store can be moved. A shell that forbids bytecode means its own
    # files: without it each process compiles all sources again, which takes it seconds.
    lines = [f"../../../../../packages/{sha256}/content\n" for sha256 in hashes]
    # Python reads no .pth of a folder that another .pth names: setuptools gives distutils by one.
    for sha256 in hashes:
        lines += _start_lines(store.content(sha256))
    lines.append("import sys; sys.dont_write_bytecode = False\n")
    (site / "vintage.pth").write_text("".join(lines))


def describe(
    framework: Framework, python: str, released: str, built: str, place: str = ""
) -> dict[str, Any]:
    """Asks the framework of an interpreter what it is, in a process of its own."""
    command = [python, str(framework.package), "describe", "--format", "json"]
    if released:
        command += ["--released", released]
    if built:
        command += ["--built", built]
    try:
        done = subprocess.run(
            command,
            capture_output=True,
            text=True,
            timeout=_DESCRIBE_SECONDS,
            check=False,
            env={k: v for k, v in os.environ.items() if k not in ("PYTHONPATH", "PYTHONHOME")},
        )
    except subprocess.TimeoutExpired:
        raise Failure(
            f"{framework.title} did not answer within {_DESCRIBE_SECONDS} s in {python}"
        ) from None
    except OSError as problem:
        raise Failure(f"{python} does not start: {problem.strerror}") from problem
    if done.returncode != 0:
        lines = [line for line in done.stderr.strip().splitlines() if line.strip()]
        ended = f"it ended with status {done.returncode}"
        reason = lines[-1].removeprefix(f"{framework.program} describe: ") if lines else ended
        raise Failure(f"{place or 'the release'} cannot be used: {reason}")
    described: dict[str, Any] = json.loads(done.stdout)
    return described


def _read_whole(framework: Framework, place: Path, store: WheelStore) -> dict[str, Any] | None:
    """The record of an environment that is there with all that it needs."""
    if not place.exists():
        return None
    try:
        record = read_environment(framework, place)
    except Failure as failure:
        note(f"{failure}; it is made again")
        return None
    missing = [p["wheel"] for p in record["packages"] if not store.holds(p["sha256"])]
    if missing:
        note(f"{place} is broken: {missing[0]} is gone; it is made again")
        return None
    return record


def kept_releases(framework: Framework, root: Path) -> dict[str, Release]:
    """The releases whose environments are whole, in the order of versions."""
    found: dict[str, Release] = {}
    for path in root.glob("environments/*/environment.json"):
        try:
            record = read_environment(framework, path.parent)
        except Failure:
            continue
        day = date.fromisoformat(record["released"])
        release = found.setdefault(record["release"], Release(framework, record["release"], day))
        release.pythons.add("cp" + "".join(record["python"]["version"].split(".")[:2]))
    return {version: found[version] for version in sorted(found, key=parse_version)}


def read_environment(framework: Framework, place: Path) -> dict[str, Any]:
    """What environment.json says; a Failure where the environment is not whole."""
    path = place / "environment.json"
    try:
        record = json.loads(path.read_text(encoding="utf-8"))
    except OSError as problem:
        raise Failure(
            f"{place} is no environment of a {framework.title} release: {path.name} cannot be "
            f"read ({problem.strerror}); make one with {framework.program} environment"
        ) from problem
    except ValueError as problem:
        raise Failure(f"{path} is damaged: {problem}") from problem
    if not isinstance(record, dict) or record.get("format") != framework.record_format:
        raise Failure(f"{path} is not the record of an environment")
    if record.get("version") != VERSION:
        raise Failure(f"{path} has version {record.get('version')}; {VERSION} is read here")
    if not os.access(place / "bin/python", os.X_OK):
        raise Failure(
            f"{place} is broken: its interpreter {record['python']['executable']} is gone"
        )
    record["path"] = str(place)
    return record


def release_of(
    framework: Framework, version: str, environment: Path | None, released: str
) -> tuple[str, str]:
    """The name and the day of the release that this interpreter has: as the environment's record
    says, which must be of this version, or without an environment as the caller says."""
    if environment is None:
        return f"{framework.name} {version}", released
    record = read_environment(framework, environment)
    if record["release"] != version:
        raise Failure(
            f"{environment} is of {framework.name} {record['release']}, and this interpreter has "
            f"{version}; start {environment}/bin/python"
        )
    return record["name"], record["released"]
