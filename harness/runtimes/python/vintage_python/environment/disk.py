"""The disk that a root takes, and its limit.

ROOT/disk.json    {"limit": BYTES}
"""

import argparse
import fcntl
import json
import os
import shutil
from collections import Counter
from collections.abc import Collection, Iterator, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from datetime import datetime, timezone
from pathlib import Path
from typing import Any

from vintage_python.environment.record import keep_any_recipe
from vintage_python.failure import EXIT_HOLDS, run_program
from vintage_python.framework import ROOTS, default_root
from vintage_python.progress import note, result, write_lines_to

_PROGRAM = "vintage_pjrt disk"
_BLOCK = 512  # Of st_blocks, whatever the disk's own are.

Files = dict[tuple[int, int], int]  # By device and inode, since hard links share them; bytes.


@dataclass
class _Part:
    """Something that leaves as a whole: an environment, a package, a wheel that uv keeps."""

    path: Path
    files: Files
    used: float
    name: str = ""
    kept: bool = False  # A wheel in uv's cache: it goes before what somebody uses.


def _files_of(path: Path, known: Collection[str] = ()) -> Files:
    """`known`: folders that are not looked into."""
    files: Files = {}
    for folder, folders, names in os.walk(path):
        for name in (*names, *folders):
            with suppress(FileNotFoundError):  # Others are at work here.
                status = os.lstat(os.path.join(folder, name))
                files[status.st_dev, status.st_ino] = status.st_blocks * _BLOCK
        folders[:] = [name for name in folders if os.path.join(folder, name) not in known]
    return files


def _environment(path: Path) -> _Part:
    record = path / "environment.json"
    name = json.loads(record.read_text(encoding="utf-8"))["name"]
    return _Part(path, _files_of(path), record.stat().st_mtime, name)


def _changed(wheel: Path) -> float:
    """When a link to one of its files came or went: the inode's own time."""
    times = [path.lstat().st_ctime for path in wheel.glob("*.dist-info/METADATA")]
    return max(times, default=0)


@contextmanager
def installing(root: Path) -> Iterator[None]:
    """Within it, nothing leaves uv's cache."""
    with (root / "partial/installing").open("w") as lock:
        fcntl.flock(lock, fcntl.LOCK_SH)
        yield


def _limit_of(root: Path) -> int:
    """0: there is none."""
    try:
        return int(json.loads((root / "disk.json").read_text(encoding="utf-8"))["limit"])
    except FileNotFoundError:
        return 0


class _Disk:
    def __init__(self, root: Path) -> None:
        self.root = root
        self.parts = []
        for path in (*root.glob("environments/*"), *root.glob("packages/*")):
            with suppress(FileNotFoundError):  # Somebody drops it, or makes it.
                self.parts.append(_environment(path))
        for path in root.glob("cache/archive-v*/*"):
            self.parts.append(_Part(path, _files_of(path), _changed(path), kept=True))
        self.holders = Counter(file for part in self.parts for file in part.files)
        # A walk takes seconds for each ten environments: nothing is walked twice.
        files = _files_of(root, {str(part.path) for part in self.parts})
        for part in self.parts:
            files.update(part.files)
        self.total = sum(files.values())

    def own(self, part: _Part) -> int:
        """The bytes that are free once it is gone."""
        return sum(size for file, size in part.files.items() if self.holders[file] == 1)

    def _is_linked(self, part: _Part) -> bool:
        """Whether an environment has files of this wheel."""
        return any(self.holders[file] > 1 for file in part.files)

    def in_order(self) -> list[_Part]:
        """All parts that may go, in order: wheels that no environment has, then environments."""
        free = [part for part in self.parts if not (part.kept and self._is_linked(part))]
        return sorted(free, key=lambda part: (not part.kept, part.used))

    def remove(self, part: _Part) -> bool:
        """False: a process uses it."""
        aside = self.root / "partial" / f"dropped-{os.getpid()}-{part.path.name}"
        aside.parent.mkdir(exist_ok=True)
        lock = self.root / "partial/installing" if part.kept else part.path / "environment.json"
        try:
            with lock.open("a" if part.kept else "r") as held:
                fcntl.flock(held, fcntl.LOCK_EX | fcntl.LOCK_NB)
                if not part.kept:
                    keep_any_recipe(self.root, part.path)
                part.path.rename(aside)
        except (BlockingIOError, FileNotFoundError):
            return False
        shutil.rmtree(aside, ignore_errors=True)
        self.total -= self.own(part)
        self.holders.subtract(part.files.keys())
        self.parts.remove(part)
        return True


def keep_to_limit(root: Path, keep: Path | None = None) -> list[str]:
    """Drops what was used longest ago until the root is within its limit; nothing that is in use,
    and not `keep`. The names of what went."""
    limit = _limit_of(root)
    if not limit:
        return []
    disk, dropped, busy = _Disk(root), [], [keep]
    while disk.total > limit:
        part = next((part for part in disk.in_order() if part.path not in busy), None)
        if part is None:
            note(f"{root} holds {disk.total / 2**30:.1f} GiB, more than its limit of "
                 f"{limit / 2**30:.1f} GiB, and all of it is in use")  # fmt: skip
            break
        if not disk.remove(part):
            busy.append(part.path)
        elif not part.kept:
            note(f"dropped: {part.path.name}")
            dropped.append(part.path.name)
    return dropped


def disk_program(arguments: Sequence[str]) -> int:
    """The whole program `disk`."""
    parser = argparse.ArgumentParser(
        prog=_PROGRAM, description="Says what environments take, and drops some over a limit."
    )
    parser.add_argument("--root", type=Path, action="append")
    parser.add_argument("--limit", type=int, help="bytes; 0: none. It stands for later runs too")
    parser.add_argument("--format", choices=("text", "lines"), default="text")
    options = parser.parse_args(arguments)
    return run_program(_PROGRAM, lambda: _run(options))


def _run(options: argparse.Namespace) -> int:
    if options.format == "lines":
        write_lines_to(1)
    document = {"roots": [_on_disk(root.resolve(), options.limit) for root in
                          options.root or map(default_root, ROOTS)]}  # fmt: skip
    if options.format == "lines":
        result(document)
    else:
        print(json.dumps(document, indent=1))
    return EXIT_HOLDS


def _on_disk(root: Path, limit: int | None) -> dict[str, Any]:
    if limit is not None:
        root.mkdir(parents=True, exist_ok=True)
        (root / "disk.json").write_text(json.dumps({"limit": limit}) + "\n")
    dropped = keep_to_limit(root)
    disk = _Disk(root)
    return {
        "root": str(root),
        "limit": _limit_of(root),
        "bytes": disk.total,
        "dropped": dropped,
        "environments": [_row(disk, part) for part in disk.in_order() if not part.kept],
    }


def _row(disk: _Disk, part: _Part) -> dict[str, Any]:
    used = datetime.fromtimestamp(part.used, timezone.utc).isoformat(timespec="seconds")
    return {"name": part.name, "path": str(part.path), "used": used,
            "bytes": sum(part.files.values()), "own_bytes": disk.own(part)}  # fmt: skip
