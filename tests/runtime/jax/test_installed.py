"""The effect of an installed vintage on the process of a release."""

import subprocess

import pytest
from jax_releases import REPOSITORY

PLATFORMS = """
import sys
sys.path.insert(0, sys.argv[1])
import vintage_jax
from jax._src import xla_bridge
xla_bridge.backends()
print(*sorted(xla_bridge._backend_factories))
"""


@pytest.fixture(scope="session")
def prefix(tmp_path_factory):
    folder = tmp_path_factory.mktemp("installed")
    command = ["cmake", "--install", REPOSITORY / "build/release", "--prefix", folder]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    return folder


@pytest.mark.parametrize(("folder", "there"), [("", False), ("plugin", True)])
def test_only_who_asks_for_the_plugin_gets_it(newest, prefix, folder, there):
    """The plugin lay beside the workers' own modules: every worker and producer of an installed
    vintage had Vintage's engine as a platform of the JAX that it was to judge."""
    shared = prefix / "share" / "vintage"
    command = [newest / "bin" / "python", "-c", PLATFORMS, shared / folder]
    environment = {"PYTHONPATH": str(shared), "PATH": "/usr/bin:/bin"}
    done = subprocess.run(command, env=environment, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    platforms = done.stdout.split()
    assert "cpu" in platforms
    assert ("vintage" in platforms) == there
