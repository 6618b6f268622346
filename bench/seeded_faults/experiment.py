"""Shared by the experiments: copies of programs, and the exit status."""

import pathlib
import shutil
import subprocess
import sys
from collections.abc import Callable, Sequence


class Broken(Exception):
    """The experiment itself did not work."""


def keep_programs(build: pathlib.Path, folder: pathlib.Path, names: Sequence[str]) -> pathlib.Path:
    """Copies of a build's programs, made once, so that a build meanwhile changes nothing."""
    kept = folder / "bin"
    if not kept.is_dir():
        partial = folder / "bin.partial"
        partial.mkdir(parents=True, exist_ok=True)
        for name in names:
            shutil.copy2(build / "bin" / name, partial / name)
        partial.rename(kept)
    return kept


def end_with(main: Callable[[], int]) -> None:
    """Ends the process with main's status; with 3 and the reason where the experiment broke."""
    try:
        sys.exit(main())
    except (Broken, OSError, subprocess.SubprocessError) as problem:
        print(f"{pathlib.Path(sys.argv[0]).name}: {problem}", file=sys.stderr)
        sys.exit(3)
