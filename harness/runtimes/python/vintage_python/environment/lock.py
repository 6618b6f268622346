"""Which wheels make up a release, each with its hash: only what a lock lists is installed."""

import contextlib
import importlib
import json
import re
import zipfile
from collections.abc import Sequence
from dataclasses import asdict, dataclass
from datetime import date, timedelta
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any
from urllib.parse import unquote, urlsplit

from vintage_python.environment.selection import Choice
from vintage_python.environment.uv import Interpreter, Uv
from vintage_python.failure import Failure

# A lock may come from a stranger's archive, and its words become uv's requirements.
_PACKAGE = re.compile(r"[a-z0-9][\w.-]* \d[\w.+!]* [\w.+!-]+\.whl [0-9a-f]{64}", re.I | re.A)


@dataclass(frozen=True)
class Package:
    name: str
    version: str
    wheel: str
    sha256: str

    @property
    def pin(self) -> str:
        return f"{self.name}=={self.version}"


def read_lock(path: Path) -> tuple[str, list[Package]]:
    """`{"python": "3.12", "packages": [{"name": …, "version": …, "wheel": …, "sha256": …}]}`"""
    try:
        document = json.loads(path.read_text(encoding="utf-8"))
        fields = ("name", "version", "wheel", "sha256")
        packages = [Package(*(row[field] for field in fields)) for row in document["packages"]]
        python = str(document["python"])
    except (OSError, ValueError, TypeError, KeyError) as problem:
        raise Failure(f"{path} is no lock (a python, and packages with name, version, wheel and "
                      f"sha256): {problem!r}") from problem  # fmt: skip
    if not packages or not re.fullmatch(r"3\.\d+", python):
        raise Failure(f"{path} is no lock: it lists no packages, or names no Python such as 3.12")
    for package in packages:
        words = " ".join(map(str, asdict(package).values()))
        if not _PACKAGE.fullmatch(words):
            raise Failure(f"{path}: '{words}' is no name, version, wheel and sha256 of a package")
    return python, sorted(packages, key=lambda package: package.name)


def lock_release(uv: Uv, choice: Choice) -> list[Package]:
    """Packages that a release names no bounds for are taken as of the release's day: a later NumPy
    or SciPy breaks an old release."""
    day = choice.release.completed
    dated = ["--exclude-newer", (day + timedelta(days=1)).isoformat()] if day else []
    return _needed(uv, choice, *dated)


def check_lock(uv: Uv, choice: Choice, packages: Sequence[Package], folder: Path) -> None:
    """Another user's lock must name exactly the packages that the release needs."""
    constraints = folder / "constraints.txt"
    constraints.write_text("".join(f"{package.pin}\n" for package in packages))
    needed = {package.pin for package in _needed(uv, choice, "--constraints", constraints)}
    if differing := needed ^ {package.pin for package in packages}:
        raise Failure(f"the lock and the release's needs differ in these packages: "
                      f"{', '.join(sorted(differing))}")  # fmt: skip


def _needed(uv: Uv, choice: Choice, *options: str | Path) -> list[Package]:
    framework, version = choice.release.framework, choice.release.version
    same = [f"{project}=={version}" for project in (*framework.companions, framework.project)]
    what = f"{framework.name} {version}"
    return _resolve(uv, what, [*same, *framework.others], choice.interpreter, *options)


def lock_package(uv: Uv, project: str, version: str, interpreter: Interpreter) -> Package:
    """One package without what it needs."""
    pin = f"{project}=={version}"
    (package,) = _resolve(uv, f"{project} {version}", [pin], interpreter, "--no-deps")
    return package


def lock_beside(
    uv: Uv, wanted: str, others: Sequence[str], interpreter: Interpreter,
    there: Sequence[Package], day: str,
) -> tuple[Package, str, list[Package]]:  # fmt: skip
    """A package, its day, and it with all that it needs beside the packages that are there, as of
    the later of `day` and its own. `others`: what it needs and does not name, of its own day."""
    with TemporaryDirectory(prefix="vintage-constraints-") as folder:
        constraints = Path(folder) / "constraints.txt"
        constraints.write_text("".join(f"{package.pin}\n" for package in there))
        options: tuple[str | Path, ...] = ("--constraints", constraints)
        released, project = "", wanted.partition("==")[0].replace("-", "_")
        entry = next(each for each in _compiled(uv, wanted, [wanted], interpreter, *options)
                     if _package_of(each).name == project)  # fmt: skip
        package = _package_of(entry)
        if uv.wheels is not None:
            released = built_day(uv.wheels / package.wheel)
        elif uploaded := entry["wheels"][0].get("upload-time"):  # Some indexes say no times.
            released = uploaded.date().isoformat()
            options += ("--exclude-newer", _day_after(max(day, released)))
            for each in others:
                options += ("--exclude-newer-package", f"{each}={_day_after(released)}")
        needed = [package.pin, *others]
        return package, released, _resolve(uv, wanted, needed, interpreter, *options)


def _day_after(day: str) -> str:
    return (date.fromisoformat(day) + timedelta(days=1)).isoformat()


def _resolve(
    uv: Uv, what: str, wanted: Sequence[str], interpreter: Interpreter, *options: str | Path
) -> list[Package]:
    """The wheels that uv decides on, by name."""
    entries = _compiled(uv, what, wanted, interpreter, *options)
    packages = [_package_of(entry) for entry in entries]
    if uv.wheels is not None:
        _check_promised(uv.wheels / "SHA256SUMS", packages)
    return sorted(packages, key=lambda package: package.name)


def _compiled(
    uv: Uv, what: str, wanted: Sequence[str], interpreter: Interpreter, *options: str | Path
) -> list[dict[str, Any]]:
    """Their entries in a lock of uv's."""
    try:
        tomllib: Any = importlib.import_module("tomllib")
    except ImportError:
        raise Failure("environments are made with Python 3.11 or newer") from None
    command = ["pip", "compile", "--format", "pylock.toml", "--only-binary", ":all:"]
    try:
        text = uv.run(*command, "--python", interpreter.path, *options, "-", text="\n".join(wanted))
    except Failure as failure:
        place = f" in {uv.wheels}" if uv.wheels else ""
        raise Failure(f"some wheels of {what} for Python {interpreter.python} are unavailable"
                      f"{place}: {failure}") from failure  # fmt: skip
    entries: list[dict[str, Any]] = tomllib.loads(text)["packages"]
    return entries


def _package_of(entry: dict[str, Any]) -> Package:
    wheel = entry["wheels"][0]  # The one that the interpreter takes.
    filename = unquote(urlsplit(wheel["url"]).path.rpartition("/")[2])
    name = entry["name"].lower().replace("-", "_")
    return Package(name, entry["version"], filename, wheel["hashes"]["sha256"])


def _check_promised(sums: Path, packages: Sequence[Package]) -> None:
    """A folder of wheels has a list of what may be installed from it."""
    text = sums.read_text(encoding="utf-8") if sums.exists() else ""
    promised = {name: digest for digest, name in re.findall(r"(?m)^(\w{64}) [ *](.+)$", text)}
    for package in packages:
        expected = promised.get(package.wheel)
        if expected is None:
            raise Failure(
                f"{sums} does not list {package.wheel}, and nothing else is installed from there; "
                f"if you trust all wheels of the folder: (cd {sums.parent} && sha256sum *.whl > "
                f"{sums.name})"
            )
        if package.sha256 != expected:
            raise Failure(
                f"{package.wheel} has the wrong hash: sha256 {expected} was promised, "
                f"{package.sha256} was found; fetch the wheel again"
            )


def install(uv: Uv, packages: Sequence[Package], python: str | Path, *options: str | Path) -> None:
    """These and nothing else; uv refuses what has another hash. Wheels that uv keeps need no
    index."""
    lines = "".join(f"{each.pin} --hash=sha256:{each.sha256}\n" for each in packages)
    command = ["pip", "sync", "--require-hashes", "--only-binary", ":all:", "--python", python]
    if uv.wheels is None:
        with contextlib.suppress(Failure):
            uv.run(*command, "--offline", *options, "-", text=lines)
            return
    uv.run(*command, *options, "-", text=lines)


def built_day(path: Path) -> str:
    """The day on which a wheel was built, by the times of its files; empty: unknown."""
    with zipfile.ZipFile(path) as archive:
        newest = max(member.date_time[:3] for member in archive.infolist())
    return date(*newest).isoformat() if newest[0] > 1980 else ""  # 1980: without times.
