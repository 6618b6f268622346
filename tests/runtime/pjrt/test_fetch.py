"""Messages of `fetch` about plugins that are not available."""

import subprocess
import sys

import pytest
from frameworks import REPOSITORY
from jax_releases import uv_program

PROGRAM = REPOSITORY / "harness/runtimes/python/vintage_pjrt"


@pytest.mark.parametrize(
    ("package", "status", "words"),
    [
        ("no-such-plugin==1", 3, "has no wheel of no-such-plugin for this machine"),
        ("no-such-plugin", 2, "is no PACKAGE==VERSION"),
    ],
)
def test_a_plugin_that_does_not_exist_is_named(tmp_path, package, status, words):
    uv_program()
    (tmp_path / "wheels").mkdir()
    command = [sys.executable, str(PROGRAM), "fetch", package, "--root", tmp_path / "root",
               "--wheels", tmp_path / "wheels"]  # fmt: skip
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert done.returncode == status
    assert words in done.stderr
