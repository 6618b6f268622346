"""Shared by the tests of real frameworks: `vintage`, an archive, and where environments lie."""

import json
import os
import shutil
import subprocess
from pathlib import Path

import pytest

REPOSITORY = Path(__file__).resolve().parents[2]
ROOT = Path(os.environ.get("VINTAGE_RUNTIMES_ROOT", REPOSITORY / "build/runtime/runtimes"))


def vintage(*arguments):
    binary = Path(os.environ.get("VINTAGE_BINARY", "")) / "vintage"
    if not binary.is_file():
        pytest.skip("VINTAGE_BINARY names no folder with the program")
    return subprocess.run(
        [str(binary), *map(str, arguments)], capture_output=True, text=True, check=False,
        env={**os.environ, "VINTAGE_RUNTIMES_ROOT": str(ROOT)},
    )  # fmt: skip


def needs_disk(release, gigabytes):
    """A new environment is large; one that is there takes nothing more."""
    if list(ROOT.glob(f"environments/{release}-py*")):
        return
    place = next(each for each in (ROOT, *ROOT.parents) if each.exists())
    free = shutil.disk_usage(place).free / 1e9
    if free < gigabytes:
        pytest.skip(f"{place} has {free:.1f} GB free, and {release} takes {gigabytes}")


def archive_with(folder, option, release, primitives):
    """An archive in which tonight's artifacts of `primitives` and the release's build are."""
    archive = folder / "A"
    done = vintage("nightly", "--archive", archive, "--platform", "cpu", "--primitive", *primitives)
    assert done.returncode == 0, done.stdout + done.stderr
    done = vintage("builds", "add", "--archive", archive, option, release)
    if "the package index cannot be read" in done.stderr:
        pytest.skip(f"no network: {done.stderr.strip()}")
    if "needs Python" in done.stderr:
        pytest.skip(done.stderr.strip())
    assert done.returncode == 0, done.stderr
    return archive


def replay(archive, build, mode, *options):
    done = vintage("replay", "--archive", archive, "--build", build, "--mode", mode,
                   "--platform", "cpu", "--format", "json", *options)  # fmt: skip
    assert done.stdout, done.stderr
    return json.loads(done.stdout)
