"""Environments that are made when they are needed, and go again; small wheels, and no network."""

import fcntl
import json
import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest
from jax_releases import PACKAGE

from conftest import PROGRAM
from fake_wheels import promise, write_release
from test_environment import FAKE_JAX, settings, wheels  # noqa: F401  fixtures
from vintage_jax.release import JAX
from vintage_python.environment import disk
from vintage_python.environment.record import keep_recipe, read_environment

RELEASES = ("97.0", "98.0", "99.0")
PADDING = 400_000


@pytest.fixture
def release(wheels):  # noqa: F811
    """Releases that describe themselves, of some size."""

    def write(version, jax=None):
        answers = FAKE_JAX.replace("99.0", version) + f"\nPADDING = '{'x' * PADDING}'\n"
        write_release(wheels, version, jax=jax or answers)
        promise(wheels)

    return write


@pytest.fixture
def start(tmp_path, wheels, settings):  # noqa: F811
    def program(*arguments):
        command = [sys.executable, PROGRAM, "environment", "--root", tmp_path / "root",
                   "--format", "json", *arguments]  # fmt: skip
        return subprocess.Popen(command, env=settings, text=True, stdout=subprocess.PIPE,
                                stderr=subprocess.PIPE)  # fmt: skip

    return program


@pytest.fixture
def registered(start, release, wheels):  # noqa: F811
    """The place of a release that is registered, and not made."""

    def register(version, jax=None):
        release(version, jax)
        out, err = (
            call := start("--jax", version, "--when-needed", "--wheels", wheels)
        ).communicate()
        assert call.returncode == 0, err
        (record,) = json.loads(out)["environments"]
        assert record["made"] is False
        assert not Path(record["path"]).exists()
        return Path(record["path"])

    return register


@pytest.fixture
def again(start):
    def make(place):
        out, err = (call := start("--again", place)).communicate()
        return call.returncode, out, err

    return make


def test_a_recipe_makes_the_environment_later(registered, again):
    place = registered("99.0")
    status, out, err = again(place)
    assert status == 0, err
    (record,) = json.loads(out)["environments"]
    assert record["path"] == str(place)
    assert record["made"] is True
    assert read_environment(JAX, place)["release"] == "99.0"


def test_two_processes_make_one_environment(registered, start):
    place = registered("99.0")
    calls = [start("--again", place) for _ in range(2)]
    said = [call.communicate() for call in calls]
    assert [call.returncode for call in calls] == [0, 0], said
    assert sum(err.count("installing 4 wheels") for _, err in said) == 1


def test_a_release_that_does_not_import_leaves_nothing(registered, again, tmp_path):
    place = registered("99.0", jax="raise ImportError('undefined symbol: x')")
    status, _, err = again(place)
    assert status == 3
    assert "JAX does not import: undefined symbol: x" in err
    assert not place.exists()


def test_a_wheel_that_is_gone_is_named(registered, again, wheels):  # noqa: F811
    place = registered("99.0")
    (wheels / "flatbuffers-1.0-py3-none-any.whl").unlink()
    status, _, err = again(place)
    assert status == 3
    assert "flatbuffers" in err
    assert not place.exists()


def test_what_was_never_registered_is_not_made(again, tmp_path):
    status, _, err = again(tmp_path / "root/environments/jax-1.0-py3.13")
    assert status == 3
    assert "has no recipe of jax-1.0-py3.13" in err


@pytest.fixture
def made(registered, again):
    """Places of three releases; the first was used longest ago."""

    def make():
        places = [registered(version) for version in RELEASES]
        for number, place in enumerate(places):
            status, _, err = again(place)
            assert status == 0, err
            os.utime(place / "environment.json", (1000 + number, 1000 + number))
        return places

    return make


def limited_to(root, part):
    """The limit of a root that is a little less, or more, than what it holds."""
    size = disk._Disk(root).total
    (root / "disk.json").write_text(json.dumps({"limit": int(size * part)}))
    return disk.keep_to_limit(root)


def test_what_was_used_longest_ago_goes_first_and_comes_back(made, again, tmp_path):
    oldest, middle, newest = made()
    assert limited_to(tmp_path / "root", 1.0) == []
    assert limited_to(tmp_path / "root", 0.98) == [oldest.name]
    assert (middle.exists(), newest.exists()) == (True, True)
    (tmp_path / "root/disk.json").unlink()
    status, _, err = again(oldest)
    assert status == 0, err
    assert read_environment(JAX, oldest)["release"] == RELEASES[0]


def test_nothing_that_is_in_use_goes(made, tmp_path):
    oldest, middle, newest = made()
    with (oldest / "environment.json").open() as used:
        fcntl.flock(used, fcntl.LOCK_SH)  # As use_environment() of a worker.
        assert limited_to(tmp_path / "root", 0.01) == [middle.name, newest.name]
    assert oldest.exists()


def test_what_another_process_drops_meanwhile_is_not_listed(made, tmp_path, monkeypatch):
    """`builds disk` ended with a FileNotFoundError: it read the record of an environment that an
    install had dropped after it was counted."""
    oldest, middle, newest = made()
    counted = disk._files_of

    def dropped_meanwhile(path, known=()):
        if path == oldest:
            shutil.rmtree(path, ignore_errors=True)
        return counted(path, known)

    monkeypatch.setattr(disk, "_files_of", dropped_meanwhile)
    listed = disk._on_disk(tmp_path / "root", None)["environments"]
    assert [row["path"] for row in listed] == [str(middle), str(newest)]


def test_an_environment_of_before_is_kept_by_a_recipe(made, again, tmp_path):
    """It was made at once, and nobody had written down what it was made of."""
    oldest, *_ = made()
    shutil.rmtree(tmp_path / "root/recipes")
    record = read_environment(JAX, oldest)
    assert oldest.name in limited_to(tmp_path / "root", 0.01)
    recipe = json.loads((tmp_path / f"root/recipes/{oldest.name}.json").read_text())
    assert recipe["packages"] == record["packages"]


def test_a_recipe_of_another_framework_is_none(tmp_path):
    keep_recipe(tmp_path, "x", {"format": "vintage toy environment", "version": 1})
    assert json.loads((tmp_path / "recipes/x.json").read_text())["wheels"] == ""


FULL = """
mount -t tmpfs -o size=3m tmpfs "$1" || exit 77
shift
exec "$@"
"""


def test_a_full_disk_is_named_and_leaves_nothing_half_made(registered, tmp_path, settings):  # noqa: F811
    place = registered("99.0")
    small = tmp_path / "small"
    (small / "recipes").mkdir(parents=True)
    recipe = (tmp_path / f"root/recipes/{place.name}.json").read_text()
    again = [sys.executable, str(PACKAGE / "vintage_jax"), "environment", "--again",
             str(small / "environments" / place.name)]  # fmt: skip
    write = f"mkdir {small}/recipes; cat > {small}/recipes/{place.name}.json; "
    look = f"; s=$?; ls {small}/environments {small}/partial/{place.name} 2>/dev/null; exit $s"
    fill = f"head -c 2500000 /dev/zero > {small}/fill; "
    command = ["unshare", "-rm", "sh", "-c", FULL, "sh", str(small), "sh", "-c",
               f"{write}{fill}{' '.join(again)}{look}"]  # fmt: skip
    done = subprocess.run(command, env=settings | {"PATH": f"{settings['PATH']}:/usr/bin:/bin"},
                          input=recipe, capture_output=True, text=True, check=False)  # fmt: skip
    if done.returncode in (1, 77) and "is full" not in done.stderr:
        pytest.skip(f"no small disk can be mounted here: {done.stderr}")
    assert done.returncode == 3, done.stderr
    assert f"the disk of {small} is full" in done.stderr
    assert "vintage builds disk --limit" in done.stderr
    assert done.stdout == ""
