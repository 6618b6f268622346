"""How uv is found and heard; shell scripts stand in for it."""

import sys

import pytest

from vintage_python.environment import uv
from vintage_python.failure import Failure


@pytest.fixture
def program(tmp_path):
    """Writes a program into a folder."""

    def write(name, script):
        path = tmp_path / "bin" / name
        path.parent.mkdir(exist_ok=True)
        path.write_text(f"#!/bin/sh\n{script}\n")
        path.chmod(0o755)
        return path

    return write


@pytest.fixture(autouse=True)
def only_these(monkeypatch, tmp_path):
    monkeypatch.setenv("PATH", str(tmp_path / "bin"))
    monkeypatch.setenv("XDG_DATA_HOME", str(tmp_path / "data"))
    uv.find_uv.cache_clear()
    yield
    uv.find_uv.cache_clear()


def test_the_uv_of_the_path_is_taken(program, tmp_path):
    program("uv", "")
    assert uv.find_uv() == str(tmp_path / "bin/uv")


def test_without_one_a_pinned_one_is_fetched_once_with_its_hash(
    program, monkeypatch, tmp_path, capfd
):
    asked = tmp_path / "asked"
    python = program(
        "python3",
        f"""
echo "$@" >> {asked}
for last; do :; done
/bin/mkdir -p "$last/bin" && echo > "$last/bin/uv"
""",
    )
    monkeypatch.setattr(sys, "executable", str(python))
    found = uv.find_uv()
    folder = tmp_path / "data/vintage/uv-0.13.9"
    assert found == str(folder / "bin/uv")
    assert f"uv==0.13.9 is fetched into {folder}" in capfd.readouterr().err
    assert "--require-hashes" in asked.read_text()
    assert "--hash=sha256:" in (folder / "requirement.txt").read_text()
    uv.find_uv.cache_clear()
    assert uv.find_uv() == found
    assert len(asked.read_text().splitlines()) == 1


def test_without_pip_either_the_message_says_what_to_install(program, monkeypatch):
    python = program("python3", "echo 'No module named pip' >&2; exit 1")
    monkeypatch.setattr(sys, "executable", str(python))
    with pytest.raises(Failure, match=r"No module named pip; install uv .* or pip .*--python PATH"):
        uv.find_uv()


@pytest.mark.parametrize(
    ("said", "reason"),
    [
        (
            "warning: old\n  cause: x\nerror: No solution found\n  cause: Because a\n"
            "         and b.\n\nhint: try c",
            "No solution found: Because a and b.",
        ),
        (
            "  × No solution found:\n  ╰─▶ Because a\n      and b.",
            "No solution found: Because a and b.",
        ),
        ("", "uv ended with status 2"),
    ],
)
def test_an_error_of_uv_is_one_line(program, tmp_path, said, reason):
    (tmp_path / "said").write_text(said)
    program("uv", f"/bin/cat {tmp_path / 'said'} >&2; exit 2")
    with pytest.raises(Failure) as failure:
        uv.Uv(tmp_path).run("pip", "freeze")
    assert str(failure.value) == reason


LISTED = """[
{"version": "3.12.1", "version_parts": {"major": 3, "minor": 12, "patch": 1}, "path": "/a/python3",
 "variant": "default", "implementation": "cpython"},
{"version": "3.14.0", "version_parts": {"major": 3, "minor": 14, "patch": 0}, "path": "/b/python3",
 "variant": "freethreaded", "implementation": "cpython"},
{"version": "3.9.1", "version_parts": {"major": 3, "minor": 9, "patch": 1}, "path": "/c/python3",
 "variant": "default", "implementation": "cpython"},
{"version": "3.11.9", "version_parts": {"major": 3, "minor": 11, "patch": 9}, "path": "/d/pypy3",
 "variant": "default", "implementation": "pypy"},
{"version": "3.13.0", "version_parts": {"major": 3, "minor": 13, "patch": 0}, "path": "/e/python3",
 "variant": "default", "implementation": "cpython"},
{"version": "3.13.0", "version_parts": {"major": 3, "minor": 13, "patch": 0}, "path": "/e/python3",
 "variant": "default", "implementation": "cpython"}
]"""


def test_interpreters_are_ordinary_cpythons_the_newest_first(program, tmp_path):
    (tmp_path / "listed").write_text(LISTED)
    program("uv", f"/bin/cat {tmp_path / 'listed'}")
    found = [(each.path, each.python) for each in uv.Uv(tmp_path).interpreters()]
    assert found == [("/e/python3", "3.13"), ("/a/python3", "3.12")]


def test_pyenvs_versions_are_looked_at_instead_of_its_shims(program, monkeypatch, tmp_path):
    (tmp_path / "pyenv/versions/3.12.1/bin").mkdir(parents=True)
    monkeypatch.setenv("PYENV_ROOT", str(tmp_path / "pyenv"))
    monkeypatch.setenv("PATH", f"{tmp_path}/pyenv/shims:{tmp_path}/bin")
    program("uv", f"echo $PATH > {tmp_path / 'asked'}; echo '[]'")
    with pytest.raises(Failure, match="no CPython from 3"):
        uv.Uv(tmp_path).interpreters()
    path = (tmp_path / "asked").read_text().strip()
    assert path == f"{tmp_path}/bin:{tmp_path}/pyenv/versions/3.12.1/bin"
