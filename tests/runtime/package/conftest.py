"""A bare Debian 12, for what is installed on it."""

import os
import shutil
import subprocess
from pathlib import Path

import pytest

FRESH = {"DEBIAN_FRONTEND": "noninteractive", "PATH": "/usr/sbin:/usr/bin:/sbin:/bin"}


def run(command, **more):
    return subprocess.run(command, capture_output=True, text=True, check=False, **more)


@pytest.fixture(scope="session")
def binary():
    """The folder of the programs."""
    folder = Path(os.environ.get("VINTAGE_BINARY", ""))
    if not (folder / "vintage").is_file():
        pytest.skip("VINTAGE_BINARY names no folder with the program")
    return folder


@pytest.fixture(scope="session")
def bare_debian(tmp_path_factory):
    """Makes a root folder with Debian's base and some packages."""

    def make(*packages):
        if os.geteuid() != 0 or not shutil.which("debootstrap"):
            pytest.skip("a bare Debian takes root and debootstrap")
        root = tmp_path_factory.mktemp("debian")
        root.chmod(0o755)  # The root folder of other users too.
        more = [f"--include={','.join(packages)}"] if packages else []
        done = run(["debootstrap", "--variant=minbase", *more, "bookworm", str(root)])
        if done.returncode != 0:
            pytest.skip(f"no network: {(done.stdout + done.stderr).strip().splitlines()[-1]}")
        return root

    return make


@pytest.fixture(scope="session")
def package(tmp_path_factory, binary):
    if not shutil.which("dpkg-shlibdeps"):
        pytest.skip("dpkg-shlibdeps is missing (Debian: dpkg-dev)")
    folder = tmp_path_factory.mktemp("package")
    done = run(["cpack", "-B", str(folder)], cwd=binary.parent)
    assert done.returncode == 0, done.stdout + done.stderr
    return next(folder.glob("*.deb"))


@pytest.fixture(scope="module")
def debian(bare_debian):
    """A root folder with Debian's base, in which commands run."""
    root = bare_debian()
    shutil.copytree("/etc/apt", root / "etc/apt", dirs_exist_ok=True)
    shutil.copy("/etc/resolv.conf", root / "etc/resolv.conf")
    subprocess.run(["mount", "--bind", "/proc", str(root / "proc")], check=True)

    def inside(*command):
        return run(["chroot", str(root), *command], env=FRESH)

    inside.root = root
    assert inside("apt-get", "update", "-qq").returncode == 0
    yield inside
    subprocess.run(["umount", str(root / "proc")], check=True)
    shutil.rmtree(root, ignore_errors=True)
