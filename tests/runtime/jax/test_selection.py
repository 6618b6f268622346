from datetime import date

import pytest

from vintage_jax.release import JAX
from vintage_python.environment.releases import File, releases_of
from vintage_python.environment.selection import Window, select
from vintage_python.environment.uv import Interpreter
from vintage_python.failure import UsageFailure


def interpreter(minor):
    return Interpreter(f"/python3.{minor}", f"3.{minor}.1")


def wheel(version, tag, place="manylinux_2_27_x86_64"):
    return f"jaxlib-{version}-{tag}-{tag}-{place}.whl"


FILES = [
    (wheel("0.10.2", "cp311"), date(2026, 6, 18)),
    (wheel("0.10.2", "cp312"), date(2026, 6, 17)),
    (wheel("0.12.0", "cp312"), date(2026, 10, 19)),
    (wheel("0.12.0", "cp313"), date(2026, 10, 19)),
    (wheel("0.4.30", "cp312"), date(2024, 6, 18)),
    (wheel("0.4.30", "cp39"), date(2024, 6, 18)),
    # Not for this machine, or no release.
    (wheel("0.12.1", "cp313", "macosx_11_0_arm64"), date(2026, 11, 1)),
    (wheel("0.12.1", "cp313", "manylinux_2_27_aarch64"), date(2026, 11, 1)),
    (wheel("0.12.1", "cp313", "musllinux_1_2_x86_64"), date(2026, 11, 1)),
    (wheel("0.12.1.dev20261101", "cp313"), date(2026, 11, 1)),
    ("jaxlib-0.12.1.tar.gz", date(2026, 11, 1)),
]
FILES = [File(*file) for file in FILES]
WINDOW = Window(date(2026, 11, 22), 180, 21)


def chosen(requests, minors):
    here = [interpreter(minor) for minor in sorted(minors, reverse=True)]
    selection = select(requests, releases_of(JAX, FILES), here, WINDOW)
    return [(c.release.version, c.interpreter.python) for c in selection.chosen], selection


def test_releases_stand_in_the_order_of_versions_with_their_first_day():
    releases = releases_of(JAX, FILES)
    assert list(releases) == ["0.4.30", "0.10.2", "0.12.0"]
    assert releases["0.10.2"].released == date(2026, 6, 17)


def test_latest_is_what_an_interpreter_here_can_have_and_says_what_a_newer_one_gives():
    found, selection = chosen(["latest"], [11])
    assert found == [("0.10.2", "3.11")]
    ((version, why),) = selection.left_out
    assert version == "0.12.0"
    assert "needs Python 3.12, 3.13; here are 3.11.1" in why
    assert chosen(["latest"], [11, 13])[0] == [("0.12.0", "3.13")]


def test_the_newest_fitting_interpreter_is_taken():
    assert chosen(["0.4.30"], [9, 12, 13])[0] == [("0.4.30", "3.12")]


def test_a_wrong_interpreter_is_named_with_those_that_would_do():
    found, selection = chosen(["0.12.0"], [11])
    assert found == []
    ((wanted, why),) = selection.failed
    assert wanted == "0.12.0"
    assert "jaxlib 0.12.0 needs Python 3.12, 3.13; here are 3.11" in why


def test_a_wheel_that_does_not_exist_is_named_with_its_neighbours():
    found, selection = chosen(["0.11.0", "0.12.0"], [13])
    assert found == [("0.12.0", "3.13")]  # The others are not kept from being made.
    ((wanted, why),) = selection.failed
    assert wanted == "0.11.0"
    assert "does not exist as a wheel for this machine; the nearest are 0.10.2 and 0.12.0" in why


def test_two_numbers_name_the_newest_patch_that_fits():
    assert chosen(["0.10"], [11])[0] == [("0.10.2", "3.11")]
    assert chosen(["0.12"], [11, 13])[0] == [("0.12.0", "3.13")]
    assert chosen(["0.4"], [12])[0] == [("0.4.30", "3.12")]
    assert "needs Python 3.12, 3.13" in chosen(["0.12"], [11])[1].failed[0][1]


def test_ranges_and_windows_leave_out_what_does_not_fit():
    found, selection = chosen(["0.4.30..0.12"], [11, 12])
    assert found == [("0.4.30", "3.12"), ("0.10.2", "3.12"), ("0.12.0", "3.12")]
    assert selection.left_out == []
    found, selection = chosen(["window"], [11])
    assert found == [("0.10.2", "3.11")]
    assert [version for version, _ in selection.left_out] == ["0.12.0"]


def test_each_release_stands_once():
    assert [v for v, _ in chosen(["0.12.0", "latest", "0.10..0.12"], [12])[0]] == [
        "0.10.2", "0.12.0"]  # fmt: skip


def test_a_folder_of_wheels_has_no_window():
    releases = releases_of(JAX, [File(file.name) for file in FILES])
    with pytest.raises(UsageFailure, match="names no days"):
        select(["window"], releases, [interpreter(13)], WINDOW)


def test_a_release_is_complete_with_the_last_wheel_of_it_and_of_its_companion():
    """Its other packages are those of that day: 0.10.2 got its wheel for Python 3.11 a day after
    the others."""
    jax = [File("jax-0.4.30-py3-none-any.whl", date(2024, 6, 19)), File("jax-0.4.30.tar.gz")]
    releases = releases_of(JAX, FILES, jax)
    assert releases["0.10.2"].completed == date(2026, 6, 18)
    assert releases["0.4.30"].released == date(2024, 6, 18)
    assert releases["0.4.30"].companion_released == date(2024, 6, 19)
    assert releases["0.4.30"].completed == date(2024, 6, 19)
