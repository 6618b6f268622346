"""A real plugin, of the package index: XLA's for the CPU, with the header of its API."""

import json
import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

from frameworks import REPOSITORY, ROOT

PACKAGE = "xla-cpu-pjrt==0.0.1"


@pytest.fixture(scope="session")
def plugin():
    """Its library, as `fetch` unpacks it."""
    program = REPOSITORY / "harness/runtimes/python/vintage_pjrt"
    done = subprocess.run(
        [sys.executable, str(program), "fetch", PACKAGE, "--root", str(ROOT), "--format", "json"],
        capture_output=True, text=True, check=False, env=dict(os.environ),
    )  # fmt: skip
    if done.returncode != 0 and ("cannot be read" in done.stderr or "unavailable" in done.stderr):
        pytest.skip(f"no network: {done.stderr.strip()}")
    assert done.returncode == 0, done.stderr
    (environment,) = json.loads(done.stdout)["environments"]
    return environment


@pytest.fixture(scope="session")
def compiler():
    for name in ("clang++-22", "clang++", "g++"):
        if found := shutil.which(name):
            return found
    pytest.skip("no C++ compiler is on PATH")
