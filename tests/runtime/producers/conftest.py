"""Two releases of JAX, and `vintage` with their environments."""

import os
import subprocess
import sys
from pathlib import Path

import pytest

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

from jax_releases import REPOSITORY, environment_of_release, index_of_releases

RELEASES = ("0.10.2", "0.11.0")  # The first one exports.
ROOT = Path(os.environ.get("VINTAGE_JAX_ROOT", REPOSITORY / "build/runtime/jax"))


@pytest.fixture(scope="session")
def releases():
    index = index_of_releases()
    return {each: environment_of_release(each, index, ROOT) for each in RELEASES}


@pytest.fixture
def vintage():
    binary = Path(os.environ.get("VINTAGE_BINARY", "")) / "vintage"
    if not binary.is_file():
        pytest.skip("VINTAGE_BINARY names no folder with the program")

    def run(*arguments):
        return subprocess.run(
            [str(binary), *map(str, arguments)], capture_output=True, text=True, check=False,
            env={**os.environ, "VINTAGE_JAX_ROOT": str(ROOT)},
        )  # fmt: skip

    return run
