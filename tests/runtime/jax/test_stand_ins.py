"""Stand-ins for the libraries of a vendor, as a plugin needs them."""

import subprocess
import sys

import pytest

from vintage_jax.describe.plugins import stand_in_for_vendor
from vintage_python.failure import Failure

VENDOR = "int hipFirst(void) { return 7; } int hipSecond(void) { return 7; }"
PLUGIN = (
    "int hipFirst(void); int hipSecond(void); int answer(void) { return hipFirst() + hipSecond(); }"
)


def compile_library(source, place, *options):
    place.with_suffix(".c").write_text(source)
    command = ["cc", "-shared", "-fPIC", "-o", place, place.with_suffix(".c"), *options]
    subprocess.run(command, check=True)


@pytest.fixture
def plugin(tmp_path):
    """A plugin linked against a vendor's library with versions, which is gone afterwards."""
    vendor = tmp_path / "libhipfake.so.3"
    (tmp_path / "versions").write_text("hip_4.2 { hipFirst; }; hip_5.1 { hipSecond; };")
    compile_library(VENDOR, vendor, f"-Wl,--version-script={tmp_path / 'versions'}",
                    "-Wl,-soname,libhipfake.so.3")  # fmt: skip
    (tmp_path / "plugin/package").mkdir(parents=True)
    compile_library(PLUGIN, tmp_path / "plugin/package/_solver.so", vendor, "-Wl,-z,now")
    vendor.unlink()
    return tmp_path / "plugin"


@pytest.fixture
def unlinked(tmp_path):
    """A plugin that names another library of the vendor's, without a number, and expects to find
    hipFirst and hipSecond anyhow."""
    (tmp_path / "plugin/package").mkdir(parents=True)
    other = tmp_path / "libhipsolver_fake.so"
    compile_library("int hipOther(void) { return 7; }", other, "-Wl,-soname,libhipsolver_fake.so")
    compile_library(PLUGIN, tmp_path / "plugin/package/_solver.so", "-Wl,--no-as-needed", other,
                    "-Wl,-z,now")  # fmt: skip
    other.unlink()
    return tmp_path / "plugin"


LOAD = """
import ctypes, sys
from pathlib import Path
from vintage_jax.describe.plugins import stand_in_for_vendor
plugin = Path(sys.argv[1])
if sys.argv[2] == "with":
    stand_in_for_vendor("rocm", plugin)
print(ctypes.CDLL(str(plugin / "package/_solver.so")).answer())
"""


def load(plugin, how):
    # A process keeps its loaded libraries: each try has its own process.
    return subprocess.run(
        [sys.executable, "-c", LOAD, plugin, how], text=True, capture_output=True, check=False,
        env={"PYTHONPATH": ":".join(sys.path), "PATH": "/usr/bin:/bin"},
    )  # fmt: skip


# A stand-in without the symbols' versions ended the process by an assertion of the linker.
def test_a_plugin_loads_over_stand_ins_with_the_versions_that_it_asks_for(plugin):
    assert "libhipfake.so.3" in load(plugin, "without").stderr
    done = load(plugin, "with")
    assert (done.stdout, done.stderr) == ("0\n", "")


# Some libraries of ROCm's plugins name no library that has what they call.
def test_a_plugin_that_names_no_library_loads_too(unlinked):
    done = load(unlinked, "with")
    assert (done.stdout, done.stderr) == ("0\n", "")


def test_without_a_compiler_it_says_what_is_missing(plugin, monkeypatch):
    monkeypatch.setenv("PATH", str(plugin))
    with pytest.raises(Failure, match="Debian: gcc"):
        stand_in_for_vendor("rocm", plugin)
