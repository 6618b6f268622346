"""A bisect to the day over builds that are made when they are needed: a plugin of the tests in
small wheels, without a network."""

import hashlib
import json
import os
import platform
import subprocess
import sys
import zipfile
from pathlib import Path

import pytest

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

from jax_releases import uv_program

LAST, FIRST_BAD = 24, 16
WRITER = """
import json, struct, sys

def send(header):
    data = json.dumps(header).encode()
    sys.stdout.buffer.write(struct.pack("<IQ", len(data), 0) + data)
    sys.stdout.buffer.flush()

send({"type": "hello", "protocol": 1, "name": "writer 1", "build_date": "2026-10-01",
      "platforms": ["cpu"], "modes": ["compiled"], "requests": ["execute", "describe"]})
if sys.stdin.buffer.read(12):
    send({"type": "description", "runtime": {
        "format": "vintage runtime", "version": 1, "name": "writer 1", "build_date": "2026-10-01",
        "platforms": ["cpu"], "modes": ["compiled"],
        "calling_convention": {"oldest": 9, "newest": 10, "default": 10}}})
"""
MODULE = """
module @fail_running {
  func.func public @main(%arg0: tensor<3xf32>) -> tensor<3xf32> {
    return %arg0 : tensor<3xf32>
  }
}
"""


def write_plugin(folder, day, library):
    """Version 1.DAY, whose files are of that day."""
    name, version = "stub_plugin", f"1.{day}"
    info = f"{name}-{version}.dist-info"
    tag = f"py3-none-manylinux2014_{platform.machine()}"
    files = {
        "stub/plugin.so": library,
        f"{info}/METADATA": f"Metadata-Version: 2.1\nName: {name}\nVersion: {version}\n".encode(),
        f"{info}/WHEEL": b"Wheel-Version: 1.0\nGenerator: tests\nRoot-Is-Purelib: true\n"
                         b"Tag: " + tag.encode() + b"\n",
        f"{info}/RECORD": b"",
    }  # fmt: skip
    wheel = folder / f"{name}-{version}-{tag}.whl"
    with zipfile.ZipFile(wheel, "w") as archive:
        for path, content in files.items():
            archive.writestr(zipfile.ZipInfo(path, (2026, 3, day, 0, 0, 0)), content)
    return f"{hashlib.sha256(wheel.read_bytes()).hexdigest()}  {wheel.name}\n"


@pytest.fixture
def vintage(tmp_path):
    binary = Path(os.environ.get("VINTAGE_BINARY", "")) / "vintage"
    if not binary.is_file():
        pytest.skip("VINTAGE_BINARY names no folder with the program")

    def run(*arguments, status=0):
        done = subprocess.run(
            [str(binary), *map(str, arguments)], capture_output=True, text=True, check=False,
            env={**os.environ, "VINTAGE_RUNTIMES_ROOT": str(tmp_path / "root")},
        )  # fmt: skip
        assert done.returncode == status, done.stdout + done.stderr
        return done.stdout

    return run


@pytest.fixture
def archive(vintage, tmp_path):
    """One artifact, and a build of each day; from FIRST_BAD on they fail to run it."""
    uv_program()
    stub = Path(os.environ["VINTAGE_BINARY"]) / "libvintage_stub_pjrt.so"
    bad = stub.read_bytes()
    good = bad.replace(b"fail_run", b"work_run")  # Also where the compiler compares numbers.
    wheels = tmp_path / "wheels"
    wheels.mkdir()
    sums = [write_plugin(wheels, day, bad if day >= FIRST_BAD else good)
            for day in range(1, LAST + 1)]  # fmt: skip
    (wheels / "SHA256SUMS").write_text("".join(sums))
    archive = tmp_path / "A"
    (tmp_path / "module.mlir").write_text(MODULE)
    vintage("convert", tmp_path / "module.mlir", "--target", "1.0.0", "-o", tmp_path / "module.bc")
    vintage("put", tmp_path / "module.bc", "--archive", archive, "--name", "module",
            "--producer", "toy 1", "--build-date", "2026-03-01")  # fmt: skip
    vintage("builds", "add", "--archive", archive, "--plugin", f"pypi:stub-plugin==1.1..1.{LAST}",
            "--when-needed", "--platform", "cpu", "--wheels", wheels)  # fmt: skip
    return archive


def test_only_the_builds_that_are_probed_are_installed(vintage, archive, tmp_path):
    assert not list(tmp_path.glob("root/packages/*"))
    found = vintage("bisect", "--archive", archive, "--artifact", "module", "--probes", 1,
                    "--format", "json", status=1)  # fmt: skip
    (search,) = json.loads(found)["searches"]
    assert search["candidates"] == [f"stub-plugin-1.{FIRST_BAD}"]
    installed = len(list(tmp_path.glob("root/packages/*")))
    assert 2 <= installed < LAST / 2


def test_a_small_disk_is_enough_for_a_window(vintage, archive, tmp_path):
    """Each environment goes for the next one."""
    vintage("builds", "disk", "--root", tmp_path / "root", "--limit", "150KiB")
    vintage("window", "--archive", archive, "--mode", "compiled", status=1)
    listed = json.loads(vintage("builds", "list", "--archive", archive, "--format", "json"))
    assert {build["kind"] for build in listed} == {"command"}  # Each was started.
    assert len(list(tmp_path.glob("root/packages/*"))) <= 2
    assert len(list(tmp_path.glob("root/recipes/*"))) == LAST


def test_a_window_is_judged_by_what_its_builds_said(vintage, archive, tmp_path):
    """A window over builds that it started itself was judged by what was known before: since when
    its builds read a default was unknown to the first window, and known to the second."""
    (tmp_path / "writer.py").write_text(WRITER)
    vintage("builds", "add", "--archive", archive, "--", sys.executable, tmp_path / "writer.py")
    command = ("window", "--archive", archive, "--mode", "compiled", "--format", "json")
    first = json.loads(vintage(*command, status=1))
    again = json.loads(vintage(*command, "--no-run", status=1))
    assert [bump["first_consumer"] for bump in again["default_bumps"]] == ["stub-plugin-1.1"]
    assert first["default_bumps"] == again["default_bumps"]


def test_a_build_that_cannot_be_installed_says_why(vintage, archive, tmp_path):
    (gone,) = tmp_path.glob("wheels/stub_plugin-1.3-*.whl")
    gone.unlink()
    binary = Path(os.environ["VINTAGE_BINARY"]) / "vintage"
    done = subprocess.run(
        [binary, "replay", "--archive", archive, "--build", "stub-plugin-1.3"],
        capture_output=True, text=True, check=False,
    )  # fmt: skip
    assert done.returncode == 3
    assert "build 'stub-plugin-1.3': it cannot be installed" in done.stderr
    assert "stub-plugin" in done.stderr
