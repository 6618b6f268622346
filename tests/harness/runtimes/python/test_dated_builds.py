"""Nightly builds and packages of plugins by ranges and days; no index is asked here."""

import json
from datetime import date
from pathlib import Path

import pytest

from vintage_python.environment import releases as index
from vintage_python.environment.releases import File, releases_of
from vintage_python.environment.selection import Window, select
from vintage_python.environment.uv import Interpreter
from vintage_python.failure import UsageFailure
from vintage_python.framework import Framework

HERE = [Interpreter("/python3.13", "3.13.1")]
WINDOW = Window(date(2026, 9, 10), 180, 21)
NIGHTLY = Framework("toy-nightly", "Toy", Path("/vintage_toy"), "toy-nightly", "20260905",
                    nightly=True)  # fmt: skip
PLUGIN = Framework("plug", "plug", Path("/vintage_toy"), "plug", "1.0", alone=True)


def nightly(day, uploaded=None):
    version = f"2.22.0.dev{day}"
    machine = index.platform.machine()
    return File(f"toy_nightly-{version}-cp313-cp313-manylinux_2_27_{machine}.whl", uploaded)


def plugin(version, day, platform=""):
    platform = platform or f"manylinux_2_27_{index.platform.machine()}"
    return File(f"plug-{version}-py3-none-{platform}.whl", date(2026, 6, day))


NIGHTS = [nightly(day, date(2026, 9, 7)) for day in
          ("20260830", "20260901", "20260902", "20260904", "20260905")]  # fmt: skip


def versions(framework, files, requests, every=0):
    selection = select(requests, releases_of(framework, files), HERE, WINDOW, every)
    return [choice.release.version[-8:] for choice in selection.chosen], selection


def test_a_nightly_build_is_of_the_day_that_its_version_says():
    """It was uploaded days later, and some are uploaded anew after years."""
    releases = releases_of(NIGHTLY, NIGHTS)
    assert releases["20260902"].released == date(2026, 9, 2)
    assert releases["20260902"].dated_by == "the version"


@pytest.mark.parametrize(
    ("request_", "every", "expected"),
    [
        ("20260901..20260904", 0, ["20260901", "20260902", "20260904"]),
        ("20260901..", 0, ["20260901", "20260902", "20260904", "20260905"]),
        ("..20260901", 0, ["20260830", "20260901"]),
        ("20260830..20260905", 3, ["20260830", "20260902", "20260905"]),
        ("latest", 0, ["20260905"]),
        ("20260904", 0, ["20260904"]),
    ],
)
def test_days_choose_nightly_builds(request_, every, expected):
    assert versions(NIGHTLY, NIGHTS, [request_], every)[0] == expected


def test_a_night_without_a_build_names_its_neighbours():
    chosen, selection = versions(NIGHTLY, NIGHTS, ["20260903"])
    assert chosen == []
    ((wanted, why),) = selection.failed
    assert wanted == "20260903"
    assert "the nearest are 20260902 and 20260904" in why


def test_a_range_without_builds_names_what_there_is():
    with pytest.raises(UsageFailure, match=r"no release lies in 20270101\.\.; known are 20260830"):
        versions(NIGHTLY, NIGHTS, ["20270101.."])


def test_a_plugin_has_one_wheel_for_all_pythons_and_later_builds_of_a_version():
    files = [plugin("0.9.1", 1), plugin("0.9.1.post2", 5), plugin("0.9.2a1", 6),
             plugin("0.10.0", 9), plugin("0.10.1", 12, "win_amd64")]  # fmt: skip
    selection = select(["0.9.."], releases_of(PLUGIN, files), HERE, WINDOW)
    chosen = [choice.release.version for choice in selection.chosen]
    assert chosen == ["0.9.1", "0.9.1.post2", "0.10.0"]


def test_a_wheel_that_was_uploaded_again_keeps_the_day_of_its_release():
    """All wheels of jaxlib 0.4.13 were uploaded on 2025-12-05, two years and a half after it."""
    (known,) = [each for each in json.loads(index._UPLOADED_AGAIN.read_text())
                if each["version"] == "0.4.13"]  # fmt: skip
    framework = Framework("jax", "JAX", Path("/vintage_jax"), "jaxlib", "0.4.13")
    machine = index.platform.machine()
    name = f"jaxlib-0.4.13-cp311-cp311-manylinux2014_{machine}.whl"
    release = releases_of(framework, [File(name, date(2025, 12, 5))])["0.4.13"]
    assert release.released == date(2023, 6, 23)
    assert release.dated_by == known["reason"]
