"""A real Slurm for the tests, and what they run on it."""

import os
import shutil
import subprocess
from collections.abc import Iterator
from pathlib import Path

import pytest
from local_slurm import PATH, PROGRAMS, Cluster

BINARIES = Path(os.environ.get("VINTAGE_BINARY", "build/release/bin")).resolve()


def pytest_sessionstart() -> None:
    # ctest reads 77 as skipped; tests/allowed_skips.txt says where that is allowed.
    missing = [name for name in PROGRAMS if shutil.which(name, path=PATH) is None]
    if missing:
        pytest.exit(
            f"Slurm is missing: {', '.join(missing)} (Debian: slurmctld slurmd munge)",
            returncode=77,
        )


@pytest.fixture(scope="session")
def cluster(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Cluster]:
    one = Cluster(tmp_path_factory.mktemp("slurm"))
    try:
        yield one
    finally:
        one.stop()


@pytest.fixture
def vintage(cluster: Cluster):
    def run(*words: object, **options) -> subprocess.CompletedProcess[str]:
        command = [str(BINARIES / "vintage"), *map(str, words)]
        return subprocess.run(command, env=cluster.environment, capture_output=True, text=True,
                              check=False, **options)  # fmt: skip

    return run


@pytest.fixture
def archive(vintage, tmp_path: Path) -> Path:
    """A few hundred artifacts, and a consumer that has run none of them."""
    folder = tmp_path / "archive"
    made = vintage("nightly", "--archive", folder, "--primitive", "add", "--platform", "cpu",
                   "--today", "2026-11-01")  # fmt: skip
    assert made.returncode == 0, made.stderr
    added = vintage("builds", "add", "--archive", folder, "--embedded", "--date", "2026-11-01")
    assert added.returncode == 0, added.stderr
    return folder
