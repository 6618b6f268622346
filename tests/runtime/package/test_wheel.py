"""The wheel on a bare Debian 12 with only Python: the session of docs/tutorial/bare_debian.md."""

import re
import shutil
import zipfile
from pathlib import Path

import pytest
from conftest import run

REPOSITORY = Path(__file__).resolve().parents[3]


@pytest.fixture(scope="module")
def wheel(binary, tmp_path_factory):
    folder = tmp_path_factory.mktemp("wheel")
    done = run([REPOSITORY / "cmake/build_wheel.sh", binary.parent, folder])
    assert done.returncode == 0, done.stdout + done.stderr
    (built,) = folder.glob("*.whl")
    assert re.search(r"\d+ MB, \d+ MB unpacked", done.stdout)
    return built


def test_it_is_for_every_python_and_for_debian_12(wheel):
    assert re.fullmatch(
        r"vintage_archive-[\d.]+-py3-none-manylinux_2_3[0-6]_x86_64.whl", wheel.name
    )
    with zipfile.ZipFile(wheel) as members:
        names = members.namelist()
    for program in ("vintage", "vintage-worker", "vintage-pjrt-worker", "vintage-pjrt-prepare"):
        assert f"vintage/installed/bin/{program}" in names
    assert "vintage/installed/share/vintage/vintage_jax/__main__.py" in names
    assert any(name.startswith("vintage_archive.libs/libopenblas") for name in names)
    assert not [name for name in names if "/libc.so" in name or "/action/" in name]


def test_the_session_on_a_bare_debian(wheel, bare_debian, tmp_path):
    """The night's copy of the worker lacked the libraries that lie beside it in the wheel, and
    nothing ran."""
    debian = bare_debian("python3", "python3-venv", "ca-certificates")
    page = tmp_path / "page.md"
    done = run([REPOSITORY / "docs/tutorial/bare_debian.sh", wheel, debian, page])
    assert done.returncode == 0, done.stdout + done.stderr
    text = page.read_text()
    # The loader asks /proc where a program lies, and looks for its libraries from there.
    night = "/root/session/venv/bin/vintage nightly --archive /tmp/A --primitive add"
    chroot = f"mount -t proc proc '{debian}/proc' && exec chroot '{debian}' {night}"
    done = run(["unshare", "--mount", "sh", "-c", chroot])
    assert done.returncode == 0, done.stdout + done.stderr
    shutil.rmtree(debian, ignore_errors=True)
    assert "2 artifacts on jax-0.5.3: 0 fail" in text, text
    assert re.search(
        r"2 artifacts on jax-0\.6\.0: 1 fail; verdict: broken\n {2}solver \(jax 0\.5\.0\): error",
        text,
    )
    assert "<title>Vintage</title>" in text
    assert "exit status" not in text, text
