"""Unpacked wheels, shared by all environments and named by their hashes.

    ROOT/packages/<sha256>/content/…       the wheel's files
    ROOT/packages/<sha256>/package.json    name, version, file name, hash

A package is made in a folder of its own beside the others and renamed when it
is whole, so that an interrupted or damaged one is never found.
"""

from __future__ import annotations

import base64
import csv
import hashlib
import io
import json
import os
import re
import shutil
import stat
import zipfile
from collections.abc import Sequence
from contextlib import contextmanager
from datetime import date
from pathlib import Path, PurePosixPath
from tempfile import mkdtemp
from typing import TYPE_CHECKING

from vintage_python.environment.interpreters import Interpreter
from vintage_python.environment.resolve import Wheel, pip_command, pip_reason, run_pip
from vintage_python.failure import Failure
from vintage_python.progress import note

if TYPE_CHECKING:
    from collections.abc import Iterator

_PARTIAL = ".partial-"
_RECORD = re.compile(r"[^/]+\.dist-info/RECORD")


@contextmanager
def partial_folder(parent: Path) -> Iterator[Path]:
    """A folder beside the finished ones, which disappears if it is not renamed."""
    parent.mkdir(parents=True, exist_ok=True)
    folder = Path(mkdtemp(prefix=f"{_PARTIAL}{os.getpid()}-", dir=parent))
    try:
        yield folder
    finally:
        shutil.rmtree(folder, ignore_errors=True)


def remove_leftovers(parent: Path) -> None:
    """What processes left behind that are gone."""
    for folder in parent.glob(f"{_PARTIAL}*"):
        owner = folder.name.removeprefix(_PARTIAL).partition("-")[0]
        if owner.isdigit() and not Path(f"/proc/{owner}").exists():
            shutil.rmtree(folder, ignore_errors=True)


def put_in_place(made: Path, place: Path) -> None:
    """Renames; another process may have made the same meanwhile, which is as good."""
    try:
        made.rename(place)
    except OSError:
        if not place.is_dir():
            raise


def hash_file(path: Path) -> str:
    digest = hashlib.sha256()
    with path.open("rb") as stream:
        while block := stream.read(1 << 20):
            digest.update(block)
    return digest.hexdigest()


class WheelStore:
    def __init__(self, root: Path) -> None:
        self._packages = root / "packages"
        self._packages.mkdir(parents=True, exist_ok=True)
        remove_leftovers(self._packages)

    def content(self, sha256: str) -> Path:
        return self._packages / sha256 / "content"

    def holds(self, sha256: str) -> bool:
        return bool(sha256) and (self._packages / sha256 / "package.json").is_file()

    def built(self, sha256: str) -> str:
        """The day on which a package that is here was built; empty: unknown."""
        facts = json.loads((self._packages / sha256 / "package.json").read_text(encoding="utf-8"))
        return str(facts.get("built", ""))

    def take(
        self,
        wheel: Wheel,
        interpreter: Interpreter,
        interpreters: Sequence[Interpreter],
        promised: str,
    ) -> str:
        """Fetches and unpacks a wheel that is not here yet; its hash. `promised`: the hash
        that it must have, or nothing."""
        expected = promised or wheel.sha256
        if self.holds(expected):
            return expected
        with partial_folder(self._packages) as folder:
            path = wheel.path or _download(wheel, folder / "wheel", interpreter, interpreters)
            try:
                sha256 = hash_file(path)
            except OSError as problem:
                raise Failure(f"{path}: the wheel cannot be read: {problem.strerror}") from problem
            if expected and sha256 != expected:
                raise Failure(
                    f"{wheel.filename} has the wrong hash: sha256 {expected} was promised, "
                    f"{sha256} was found; fetch the wheel again"
                )
            if self.holds(sha256):
                return sha256
            note(f"  unpacking {wheel.filename}")
            package = folder / "package"
            built = _unpack(path, package / "content", wheel.filename)
            facts = {"name": wheel.name, "version": wheel.version, "wheel": wheel.filename,
                     "sha256": sha256, "built": built}  # fmt: skip
            (package / "package.json").write_text(json.dumps(facts, indent=1) + "\n")
            put_in_place(package, self._packages / sha256)
        return sha256


def _download(
    wheel: Wheel, folder: Path, interpreter: Interpreter, interpreters: Sequence[Interpreter]
) -> Path:
    note(f"  fetching {wheel.filename}")
    folder.mkdir()
    # pip takes hashes from a file only; it refuses what has another.
    requirement = folder / "requirement.txt"
    hashed = f" --hash=sha256:{wheel.sha256}" if wheel.sha256 else ""
    requirement.write_text(f"{wheel.name}=={wheel.version}{hashed}\n")
    command = [
        *pip_command(interpreter, interpreters), "download", "--quiet", "--no-deps",
        "--only-binary=:all:", "--dest", str(folder), "--requirement", str(requirement),
    ]  # fmt: skip
    done = run_pip(command, None)
    found = list(folder.glob("*.whl"))
    if done.returncode != 0 or len(found) != 1:
        raise Failure(f"{wheel.filename} cannot be fetched: {pip_reason(done)}")
    return found[0]


def _unpack(path: Path, content: Path, filename: str) -> str:
    """Checks each file against the wheel's own list of hashes. The day on which the wheel was
    built, by the times of its files; empty where they name none."""
    content.mkdir(parents=True)
    try:
        with zipfile.ZipFile(path) as archive:
            hashes = _recorded_hashes(archive)
            built = max(member.date_time[:3] for member in archive.infolist())
            for member in archive.infolist():
                if not member.is_dir():
                    _unpack_member(archive, member, content, hashes, filename)
    except (zipfile.BadZipFile, KeyError, OSError, EOFError, ValueError) as problem:
        raise Failure(f"{filename} is no whole wheel: {problem}; fetch it again") from problem
    # An archive without times names 1980.
    return date(*built).isoformat() if built[0] > 1980 else ""


def _recorded_hashes(archive: zipfile.ZipFile) -> dict[str, str]:
    # A package can hold others with lists of their own; the wheel's lies at the top.
    records = [name for name in archive.namelist() if _RECORD.fullmatch(name)]
    if len(records) != 1:
        raise ValueError("it has no list of its files (RECORD)")
    rows = csv.reader(io.StringIO(archive.read(records[0]).decode("utf-8")))
    return {row[0]: row[1] for row in rows if len(row) > 1 and row[1].startswith("sha256=")}


def _unpack_member(
    archive: zipfile.ZipFile,
    member: zipfile.ZipInfo,
    content: Path,
    hashes: dict[str, str],
    filename: str,
) -> None:
    parts = PurePosixPath(member.filename).parts
    if len(parts) > 2 and parts[0].endswith(".data"):
        if parts[1] not in ("purelib", "platlib"):
            return  # Commands and headers are not used here.
        parts = parts[2:]
    if not parts or ".." in parts or parts[0] == "/":
        raise ValueError(f"'{member.filename}' would lie outside of it")
    place = content.joinpath(*parts)
    place.parent.mkdir(parents=True, exist_ok=True)
    digest = hashlib.sha256()
    with archive.open(member) as source, place.open("wb") as target:
        while block := source.read(1 << 20):
            digest.update(block)
            target.write(block)
    if member.external_attr >> 16 & stat.S_IXUSR:
        place.chmod(0o755)  # A program that the package starts.
    expected = hashes.get(member.filename)
    found = "sha256=" + base64.urlsafe_b64encode(digest.digest()).rstrip(b"=").decode()
    if expected is not None and found != expected.rstrip("="):
        raise Failure(
            f"{filename} has the wrong hash: its file {member.filename} is not the one that its "
            "list names; fetch the wheel again"
        )
