"""Makes environments.

ROOT/environments/jax-0.8.1-py3.13/    of one release (record.py)
ROOT/packages/<sha256>/content/        one package without what it needs: a PJRT plugin
ROOT/cache/                            uv's, with each wheel once
ROOT/partial/                          what is being made
"""

from __future__ import annotations

import fcntl
import hashlib
import json
import shutil
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import asdict
from pathlib import Path
from typing import Any

from vintage_python.environment.lock import (
    Package,
    built_day,
    check_lock,
    install,
    lock_release,
    resolve,
)
from vintage_python.environment.record import VERSION, describe, read_environment
from vintage_python.environment.selection import Choice
from vintage_python.environment.uv import Interpreter, Uv
from vintage_python.failure import Failure
from vintage_python.framework import Framework
from vintage_python.progress import note


@contextmanager
def _alone(place: Path, root: Path) -> Iterator[Path]:
    """A folder aside to make something in, while no other process makes the same."""
    folder = root / "partial" / place.name
    folder.parent.mkdir(parents=True, exist_ok=True)
    with folder.with_name(f"{place.name}.lock").open("w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        shutil.rmtree(folder, ignore_errors=True)  # An interrupted process left it.
        folder.mkdir()
        try:
            yield folder
        finally:
            shutil.rmtree(folder, ignore_errors=True)


def _put_in_place(made: Path, place: Path) -> None:
    shutil.rmtree(place, ignore_errors=True)  # It is broken: what made it whole is gone.
    place.parent.mkdir(exist_ok=True)
    made.rename(place)


def make_environment(
    choice: Choice, uv: Uv, released: str = "", lock: list[Package] | None = None
) -> dict[str, Any]:
    """The environment of a release, made where there is no whole one. `released`: the caller's
    day, instead of the index's. `lock`: what it is made of, whatever uv would choose."""
    framework, version = choice.release.framework, choice.release.version
    name = f"{framework.name}-{version}-py{choice.interpreter.python}"
    place = uv.root / "environments" / name
    if lock and _lock_of(framework, place) != lock:
        words = "".join(f"{package.pin} {package.sha256}\n" for package in lock)
        place = place.with_name(f"{name}-{hashlib.sha256(words.encode()).hexdigest()[:12]}")
    with _alone(place, uv.root) as folder:
        if place.exists() and (kept := _whole(framework, place, uv)):
            return kept
        made = folder / "environment"
        record = _make(made, choice, uv, released, lock)
        (made / "environment.json").write_text(json.dumps(record, indent=1) + "\n")
        _put_in_place(made, place)
    return record | {"path": str(place)}


def _lock_of(framework: Framework, place: Path) -> list[Package]:
    try:
        return [Package(**row) for row in read_environment(framework, place)["packages"]]
    except Failure:
        return []


def _whole(framework: Framework, place: Path, uv: Uv) -> dict[str, Any] | None:
    """The record of an environment that is there, with all that its lock lists."""
    python = place / "bin/python"
    try:
        record = read_environment(framework, place)
        lock = _lock_of(framework, place)
        there = uv.run("pip", "freeze", "--python", python).replace("-", "_").split()
        missing = [each.wheel for each in lock if each.pin.replace("-", "_") not in there]
        if missing:
            others = f" and {len(missing) - 1} others" if missing[1:] else ""
            note(f"{place} lacks {missing[0]}{others}, and gets what it lacks")
            install(uv, lock, python)
    except Failure as failure:
        note(f"{failure}; it is made again")
        return None
    return record


def _make(
    made: Path, choice: Choice, uv: Uv, released: str, lock: list[Package] | None
) -> dict[str, Any]:
    release, interpreter = choice.release, choice.interpreter
    framework, what = release.framework, f"{release.framework.name} {release.version}"
    note(f"{what}: finding its wheels for Python {interpreter.python}")
    if lock:
        check_lock(uv, choice, lock, made.parent)
    packages = lock or lock_release(uv, choice)
    uv.run("venv", "--relocatable", "--python", interpreter.path, made)
    note(f"{what}: installing {len(packages)} wheels")
    python = str(made / "bin/python")
    install(uv, packages, python)
    # A shell that forbids bytecode means its own files: without it each process compiles all
    # sources again, which takes it seconds.
    (site,) = made.glob("lib/python3*/site-packages")
    (site / "vintage.pth").write_text("import sys; sys.dont_write_bytecode = False\n")
    dated_by = "the caller" if released else "the index"
    if not released and release.released:
        released = release.released.isoformat()
    elif not released and uv.wheels:
        wheel = next(each.wheel for each in packages if each.name == framework.wheel_prefix)
        released, dated_by = built_day(uv.wheels / wheel), "the wheel"
    note(f"{what}: asking the release what it is")
    runtime = describe(framework, python, released)
    companion = release.companion_released
    return {
        "format": framework.record_format,
        "version": VERSION,
        "framework": framework.name,
        "name": runtime["name"],
        "release": release.version,
        "released": runtime["released"],
        f"{framework.name}_released": companion.isoformat() if companion else "",
        "released_by": dated_by,
        "python": {"executable": interpreter.path, "version": interpreter.version},
        "packages": [asdict(package) for package in packages],
        "runtime": runtime,
    }


def take_package(
    uv: Uv, project: str, version: str, interpreter: Interpreter
) -> tuple[Package, Path]:
    """One package without what it needs, and the folder of its files."""
    pin = f"{project}=={version}"
    (package,) = resolve(uv, f"{project} {version}", [pin], interpreter, "--no-deps")
    place = uv.root / "packages" / package.sha256
    with _alone(place, uv.root) as folder:
        if not (place / "content").is_dir():
            note(f"installing {package.wheel}")
            install(uv, [package], interpreter.path, "--target", folder / "package/content")
            _put_in_place(folder / "package", place)
    return package, place / "content"
