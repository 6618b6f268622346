"""IREE compiles and runs what the catalogue exports, registered and replayed by `vintage`."""

import sys
from pathlib import Path

import pytest

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

from frameworks import archive_with, needs_disk, replay, vintage

RELEASE = "3.13.0"
BUILD = f"iree-{RELEASE}"


@pytest.fixture(scope="module")
def archive(tmp_path_factory):
    needs_disk(BUILD, 1)
    folder = tmp_path_factory.mktemp("iree")
    return archive_with(folder, "--iree", RELEASE, ["erf_inv", "add", "cholesky"])


def test_it_counts_from_its_release(archive):
    done = vintage("builds", "list", "--archive", archive)
    line = next(line for line in done.stdout.splitlines() if BUILD in line)
    assert line.startswith("2026-10-19")


def test_element_types_keep_their_width_and_sign(archive):
    """Without an option of the compiler f64 silently becomes f32, and 1e-16 is lost."""
    for dtype in ("f64", "u32", "bf16", "c64"):
        report = replay(archive, BUILD, "compiled", "--name", f"add_{dtype}[[]10,9[]]*_multi*")
        assert [pair["outcome"] for pair in report["pairs"]] == ["pass"], (dtype, report["pairs"])


def test_a_dialect_that_it_lacks_is_named_with_its_class(archive):
    """JAX writes a sharding rule beside each call of LAPACK, and IREE has no Shardy."""
    report = replay(archive, BUILD, "compiled", "--primitive", "cholesky", "--dtype", "f32",
                    "--variant", "static")  # fmt: skip
    assert report["pairs"]
    assert set(report["counts"]["classes"]) == {"operation or attribute unknown"}
    assert all("dialect 'sdy'" in pair["detail"] for pair in report["pairs"])


def test_another_mode_is_not_its_own(archive):
    done = vintage("replay", "--archive", archive, "--build", BUILD, "--mode", "eager")
    assert done.returncode == 2
    assert "does not run in mode eager; it has compiled" in done.stderr
