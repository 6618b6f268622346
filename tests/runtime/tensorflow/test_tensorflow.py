"""TensorFlow runs what the catalogue exports, registered and replayed by `vintage`."""

import sys
from pathlib import Path

import pytest

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

from frameworks import archive_with, needs_disk, replay, vintage

RELEASE = "2.21.0"
BUILD = f"tensorflow-{RELEASE}"


@pytest.fixture(scope="module")
def archive(tmp_path_factory):
    needs_disk(BUILD, 4)
    folder = tmp_path_factory.mktemp("tensorflow")
    return archive_with(folder, "--tensorflow", RELEASE, ["abs", "cholesky", "psum"])


def test_it_counts_from_its_release_and_says_what_it_reads(archive):
    done = vintage("builds", "list", "--archive", archive)
    line = next(line for line in done.stdout.splitlines() if BUILD in line)
    assert line.startswith("2026-03-06")
    assert "calling conventions 4 to 10, StableHLO up to 1.13.7" in line
    assert vintage("builds", "check", "--archive", archive).returncode == 0


@pytest.mark.parametrize("mode", ["eager", "graph", "compiled"])
def test_each_mode_runs_every_variant_of_an_operation(archive, mode):
    report = replay(archive, BUILD, mode, "--primitive", "abs", "--dtype", "f32")
    outcomes = {}
    for pair in report["pairs"]:
        variant = pair["name"].split("/")[0].rsplit("_", 1)[-1]
        variant = "static" if "[" in variant else variant
        outcomes.setdefault(variant, set()).add((pair["outcome"], pair["class"]))
    passed = {("pass", None)}
    # Assertions about shapes are written at a StableHLO that this release does not read.
    assert outcomes.pop("poly") == {("error", "operation or attribute unknown")}
    outcomes.pop("sharded", None)
    assert {"static", "platform", "vjp", "effects"} <= outcomes.keys(), outcomes
    assert set(map(frozenset, outcomes.values())) == {frozenset(passed)}, outcomes


def test_an_operation_that_is_too_new_is_named_with_its_class(archive):
    """Artifacts that call LAPACK are written at a StableHLO that this release does not read."""
    report = replay(archive, BUILD, "compiled", "--primitive", "cholesky", "--dtype", "f32",
                    "--variant", "static")  # fmt: skip
    assert report["pairs"]
    assert report["counts"]["classes"].keys() == {"operation or attribute unknown"}
    for pair in report["pairs"]:
        assert pair["stage"] == "upgrade"
        assert "vhlo.custom_call" in pair["detail"].splitlines()[0]


def test_no_failure_is_of_no_class(archive):
    report = replay(archive, BUILD, "graph", "--primitive", "psum")
    assert report["pairs"]
    assert "unknown" not in report["counts"]["classes"]
