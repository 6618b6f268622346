"""Releases that the package index has withdrawn, wholly or in part; no index is asked here."""

import json
import sys
from datetime import date
from pathlib import Path

import pytest

from vintage_python.environment import releases as index
from vintage_python.environment.command import environment_program
from vintage_python.environment.releases import File, releases_of
from vintage_python.environment.selection import Window, select
from vintage_python.environment.uv import Interpreter
from vintage_python.framework import Framework

TOY = Framework("toy", "Toy", Path("/vintage_toy"), "toylib", "1.0", companions=("toy",))
HERE = [Interpreter("/python3.13", "3.13.1"), Interpreter("/python3.12", "3.12.1")]
WINDOW = Window(date(2026, 11, 22), 180, 21)


def wheel(version, day, python=313, withdrawn=None):
    name = f"toylib-{version}-cp{python}-cp{python}-manylinux_2_27_{index.platform.machine()}.whl"
    return File(name, date(2026, 10, day), withdrawn)


def pure(version, day, withdrawn=None):
    return File(f"toy-{version}-py3-none-any.whl", date(2026, 10, day), withdrawn)


FILES = [
    wheel("1.0", 1),
    wheel("1.1", 5, 312, withdrawn="wrong results"), wheel("1.1", 6, 313),
    wheel("1.2", 10, 312, withdrawn="crashes"), wheel("1.2", 10, 313, withdrawn="crashes"),
    wheel("1.3", 15),
]  # fmt: skip
COMPANIONS = [pure("1.0", 1), pure("1.1", 5), pure("1.2", 10), pure("1.3", 15, withdrawn="")]


@pytest.fixture
def releases():
    return releases_of(TOY, FILES, COMPANIONS)


def chosen(requests, releases):
    selection = select(requests, releases, HERE, WINDOW)
    return [(c.release.version, c.interpreter.python) for c in selection.chosen], selection


def test_a_release_that_was_withdrawn_in_part_keeps_its_day(releases):
    """It had the day of the wheels that were left: two machines did not agree on the promises if
    one of them had asked before."""
    assert releases["1.1"].released == date(2026, 10, 5)
    assert releases["1.1"].withdrawn == ""
    assert releases["1.1"].pythons == {"3.13"}


def test_a_withdrawn_release_is_there_with_its_reason(releases):
    """Asked for by name it "did not exist as a wheel for this machine"."""
    words = "toylib was withdrawn from the package index: crashes"
    assert releases["1.2"].withdrawn == words
    assert chosen(["1.2"], releases)[0] == [("1.2", "3.13")]
    found, selection = chosen(["1.0..1.2", "window"], releases)
    assert found == [("1.0", "3.13"), ("1.1", "3.13")]
    assert ("1.2", words) in selection.left_out


def test_a_release_of_which_one_project_was_withdrawn_is_not_the_latest(releases):
    """`latest` took it and said nothing: `jax` was withdrawn, and only jaxlib was looked at."""
    found, selection = chosen(["latest"], releases)
    assert found == [("1.1", "3.13")]
    why = "toy was withdrawn from the package index: no reason is given"
    assert selection.left_out[-1] == ("1.3", why)


def test_two_numbers_name_no_withdrawn_release():
    files = [wheel("1.2.0", 1), wheel("1.2.1", 2, withdrawn="bad"), wheel("1.3.0", 3, 313, "bad")]
    releases = releases_of(TOY, files)
    assert chosen(["1.2"], releases)[0] == [("1.2.0", "3.13")]
    found, selection = chosen(["1.3"], releases)
    assert found == []
    assert selection.failed == [
        ("1.3", "toylib was withdrawn from the package index: bad; 1.3.0 names it")
    ]


# It knows one interpreter, and installs nothing.
UV = """#!/bin/sh
case "$1" in
python) echo '[{"implementation": "cpython", "variant": "default", "path": "%s",
  "version": "3.13.1", "version_parts": {"major": 3, "minor": 13, "patch": 1}}]' ;;
pip) [ "$2" = freeze ] || { echo "error: nothing can be had" >&2; exit 1; } ;;
esac
"""


@pytest.fixture
def root(tmp_path, monkeypatch):
    """A root with an environment of 1.2 and of 0.9, before an index that has withdrawn both."""
    (tmp_path / "uv").write_text(UV % sys.executable)
    (tmp_path / "uv").chmod(0o755)
    monkeypatch.setenv("PATH", f"{tmp_path}:/usr/bin:/bin")
    answers = {"toylib": FILES, "toy": COMPANIONS}
    monkeypatch.setattr(index, "files_on_index", answers.__getitem__)
    for version in ("1.2", "0.9"):
        place = tmp_path / f"root/environments/toy-{version}-py3.13"
        (place / "bin").mkdir(parents=True)
        (place / "bin/python").symlink_to(sys.executable)
        record = {
            "format": TOY.record_format, "version": 1, "name": f"toy {version}",
            "release": version, "released": "2026-10-09", "packages": [],
            "python": {"executable": sys.executable, "version": "3.13.1"},
        }  # fmt: skip
        (place / "environment.json").write_text(json.dumps(record))
    return tmp_path / "root"


@pytest.mark.parametrize(
    ("version", "words"),
    [("1.2", "withdrawn from the package index: crashes"), ("0.9", "index does not have it")],
)
def test_a_kept_environment_serves_on(root, capsys, version, words):
    """A second archive could not have a release that lay there, once the index had withdrawn it."""
    arguments = ["--toy", version, "--root", str(root), "--format", "json"]
    assert environment_program([TOY], arguments) == 0
    said = capsys.readouterr()
    (record,) = json.loads(said.out)["environments"]
    assert record["path"] == str(root / f"environments/toy-{version}-py3.13")
    assert record["released"] == "2026-10-09"
    assert words in said.err


def test_a_withdrawn_release_that_cannot_be_had_says_why(root, capsys):
    arguments = ["--toy", "1.3", "--root", str(root)]
    assert environment_program([TOY], arguments) == 3
    assert "toy was withdrawn from the package index" in capsys.readouterr().err
