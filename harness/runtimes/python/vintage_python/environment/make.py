"""Makes environments.

ROOT/environments/jax-0.8.1-py3.13/    of one release (record.py)
ROOT/packages/<sha256>/content/        one package without what it needs
ROOT/packages/<sha256>/library         of a PJRT plugin: a link to its library
ROOT/recipes/                          what an environment is made of (record.py)
ROOT/cache/                            uv's, with each wheel once
ROOT/partial/                          what is being made
"""

import errno
import fcntl
import hashlib
import json
import shutil
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import asdict
from pathlib import Path
from typing import Any

from vintage_python.environment.disk import installing, keep_to_limit
from vintage_python.environment.lock import (
    Package,
    built_day,
    check_lock,
    install,
    lock_package,
    lock_release,
)
from vintage_python.environment.plugin import library_in
from vintage_python.environment.record import (
    VERSION,
    describe,
    keep_recipe,
    read_environment,
    read_recipe,
    touch,
)
from vintage_python.environment.selection import Choice
from vintage_python.environment.uv import Interpreter, Uv
from vintage_python.failure import Failure
from vintage_python.framework import Framework
from vintage_python.progress import note

_DISK_FULL = ("No space left on device", f"os error {errno.ENOSPC}", f"os error {errno.EDQUOT}")


@contextmanager
def alone(place: Path, root: Path) -> Iterator[Path]:
    """A folder aside to make something in, while no other process makes the same. A full disk is
    named with what helps."""
    folder = root / "partial" / place.name
    folder.parent.mkdir(parents=True, exist_ok=True)
    with folder.with_name(f"{place.name}.lock").open("w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        shutil.rmtree(folder, ignore_errors=True)  # An interrupted process left it.
        folder.mkdir()
        try:
            with _disk_named(root):
                yield folder
        finally:
            shutil.rmtree(folder, ignore_errors=True)


def _put_in_place(made: Path, place: Path) -> None:
    shutil.rmtree(place, ignore_errors=True)  # It is broken: what made it whole is gone.
    place.parent.mkdir(exist_ok=True)
    made.rename(place)


@contextmanager
def _disk_named(root: Path) -> Iterator[None]:
    try:
        yield
    except (Failure, OSError) as problem:
        if not any(words in str(problem) for words in _DISK_FULL):
            raise
        free = shutil.disk_usage(root).free / 2**30
        raise Failure(
            f"the disk of {root} is full ({free:.1f} GiB are free): {problem}; "
            "'vintage builds disk --limit 20GiB' drops what was used longest ago"
        ) from problem


def make_environment(
    choice: Choice,
    uv: Uv,
    released: str = "",
    lock: list[Package] | None = None,
    when_needed: bool = False,
) -> dict[str, Any]:
    """The environment of a release, made where there is no whole one. `released`: the caller's
    day, instead of the index's. `lock`: what it is made of, whatever uv would choose.
    `when_needed`: only its recipe is made, for make_again()."""
    framework = choice.release.framework
    if framework.alone:
        lock = lock or [lock_package(uv, framework.project, choice.release.version,
                                     choice.interpreter)]  # fmt: skip
        place = uv.root / "packages" / lock[0].sha256
    else:
        name = f"{framework.name}-{choice.release.version}-py{choice.interpreter.python}"
        place = uv.root / "environments" / name
        if lock and _lock_of(framework, place) != lock:
            words = "".join(f"{package.pin} {package.sha256}\n" for package in lock)
            place = place.with_name(f"{name}-{hashlib.sha256(words.encode()).hexdigest()[:12]}")
    with alone(place, uv.root) as folder:
        if place.exists() and (kept := _whole(framework, place, uv)):
            return kept
        recipe = read_recipe(framework, uv.root, place.name)
        if not recipe:
            recipe = _recipe(choice, uv, lock, folder)
        if released:
            recipe |= {"released": released, "released_by": "the caller"}
        if when_needed:
            keep_recipe(uv.root, place.name, recipe)
            return recipe | {"path": str(place)}
        return _make(framework, recipe, place, folder, uv)


def make_again(framework: Framework, place: Path) -> dict[str, Any]:
    """An environment by its recipe, where it is not there."""
    root = place.parent.parent
    recipe = read_recipe(framework, root, place.name)
    if not recipe:
        raise Failure(f"{root}/recipes has no recipe of {place.name}; register it again")
    uv = Uv(root, Path(recipe["wheels"]) if recipe["wheels"] else None)
    with alone(place, root) as folder:
        if place.exists() and (kept := _whole(framework, place, uv)):
            return kept
        return _make(framework, recipe, place, folder, uv)


def _lock_of(framework: Framework, place: Path) -> list[Package]:
    try:
        record = read_environment(framework, place)
    except Failure:
        record = read_recipe(framework, place.parent.parent, place.name)
    return [Package(**row) for row in record.get("packages", [])]


def _whole(framework: Framework, place: Path, uv: Uv) -> dict[str, Any] | None:
    """The record of an environment that is there, with all that its lock lists."""
    python = place / "bin/python"
    try:
        record = read_environment(framework, place)
        if framework.alone:
            if not (place / "library").is_file():
                raise Failure(f"{place} lacks its library")
            return record
        lock = _lock_of(framework, place)
        there = uv.run("pip", "freeze", "--python", python).replace("-", "_").split()
        missing = [each.wheel for each in lock if each.pin.replace("-", "_") not in there]
        if missing:
            others = f" and {len(missing) - 1} others" if missing[1:] else ""
            note(f"{place} lacks {missing[0]}{others}, and gets what it lacks")
            install(uv, lock, python)
        touch(place)
    except Failure as failure:
        note(f"{failure}; it is made again")
        return None
    return record


def _recipe(choice: Choice, uv: Uv, lock: list[Package] | None, folder: Path) -> dict[str, Any]:
    """An environment's wheels: its record but for the release's own description."""
    release, interpreter = choice.release, choice.interpreter
    framework, what = release.framework, f"{release.framework.name} {release.version}"
    note(f"{what}: finding its wheels for Python {interpreter.python}")
    if lock and not framework.alone:
        check_lock(uv, choice, lock, folder)
    packages = lock or lock_release(uv, choice)
    released, dated_by = release.released, release.dated_by
    day = released.isoformat() if released else ""
    if not released and uv.wheels:
        wheel = next(each.wheel for each in packages if each.name == framework.wheel_prefix)
        day, dated_by = built_day(uv.wheels / wheel), "the wheel"
    companion = release.companion_released
    return {
        "format": framework.record_format,
        "version": VERSION,
        "framework": framework.name,
        "name": what,
        "release": release.version,
        "released": day,
        f"{framework.name}_released": companion.isoformat() if companion else "",
        "released_by": dated_by if day else "",
        "python": {"executable": interpreter.path, "version": interpreter.version},
        "packages": [asdict(package) for package in packages],
        "wheels": str(uv.wheels or ""),
    }


def _make(
    framework: Framework, recipe: dict[str, Any], place: Path, folder: Path, uv: Uv
) -> dict[str, Any]:
    made = folder / "environment"
    packages = [Package(**row) for row in recipe["packages"]]
    interpreter = recipe["python"]["executable"]
    keep_to_limit(uv.root, place)
    what = f"{recipe['framework']} {recipe['release']}"
    note(f"{what}: installing {len(packages)} wheel{'s' * (len(packages) > 1)}")
    record = dict(recipe)
    if framework.alone:
        _unpack(uv, packages[0], interpreter, made)
        (made / "library").symlink_to(library_in(made / "content").relative_to(made))
    else:
        with installing(uv.root):
            uv.run("venv", "--relocatable", "--python", interpreter, made)
            install(uv, packages, made / "bin/python")
        # A shell that forbids bytecode means its own files: without it each process compiles all
        # sources again, which takes it seconds.
        (site,) = made.glob("lib/python3*/site-packages")
        (site / "vintage.pth").write_text("import sys; sys.dont_write_bytecode = False\n")
        note(f"{what}: asking the release what it is")
        runtime = describe(framework, str(made / "bin/python"), recipe["released"])
        record |= {"name": runtime["name"], "released": runtime["released"], "runtime": runtime}
    (made / "environment.json").write_text(json.dumps(record, indent=1) + "\n")
    _put_in_place(made, place)
    keep_to_limit(uv.root, place)
    return record | {"path": str(place)}


def _unpack(uv: Uv, package: Package, python: str, made: Path) -> None:
    with installing(uv.root):
        install(uv, [package], python, "--target", made / "content")


def take_package(
    uv: Uv, project: str, version: str, interpreter: Interpreter
) -> tuple[Package, Path]:
    """One package without what it needs, and the folder of its files."""
    package = lock_package(uv, project, version, interpreter)
    place = uv.root / "packages" / package.sha256
    with alone(place, uv.root) as folder:
        if not (place / "content").is_dir():
            note(f"installing {package.wheel}")
            _unpack(uv, package, interpreter.path, folder / "package")
            _put_in_place(folder / "package", place)
    return package, place / "content"
