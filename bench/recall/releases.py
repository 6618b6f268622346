"""The environments of releases, by the package that 'vintage builds add --jax' uses."""

import json
import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path

PACKAGE = Path(__file__).resolve().parents[2] / "harness/runtimes/python/vintage_jax"


@dataclass(frozen=True)
class Release:
    version: str
    python: Path
    published: str  # YYYY-MM-DD


def environments(root: Path, versions: list[str]) -> dict[str, Release]:
    """Makes the environments that are missing. Ends the program where one cannot be made."""
    done = subprocess.run(
        [sys.executable, str(PACKAGE), "environment", "--jax", *versions, "--root", str(root),
         "--format", "json"],
        stdout=subprocess.PIPE, text=True, check=False,
    )  # fmt: skip
    if not done.stdout.strip():
        raise SystemExit(f"no environment could be made in {root}; the lines above say why")
    answer = json.loads(done.stdout)
    if answer["failed"]:
        raise SystemExit(f"some releases cannot be had: {json.dumps(answer['failed'])}")
    return {
        one["release"]: Release(one["release"], Path(one["path"]) / "bin/python", one["released"])
        for one in answer["environments"]
    }
