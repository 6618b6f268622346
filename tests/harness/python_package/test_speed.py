"""Python fails where an artifact became slower, as the program does. The builds' measurements are
scripted."""

import subprocess

import pytest

from conftest import BINARIES
from vintage import VintageError, check

MODULE = """func.func public @main(%a: tensor<2000xf32>, %b: tensor<2000xf32>) -> tensor<2000xf32> {
  %0 = stablehlo.add %a, %b : tensor<2000xf32>
  return %0 : tensor<2000xf32>
}
"""


def vintage(*words):
    done = subprocess.run(
        [BINARIES / "vintage", *map(str, words)], capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, done.stderr + done.stdout


@pytest.fixture(scope="module")
def archive(tmp_path_factory):
    folder = tmp_path_factory.mktemp("speed")
    (folder / "add.mlir").write_text(MODULE)
    vintage("convert", folder / "add.mlir", "--target", "1.0.0", "-o", folder / "add")
    made = folder / "A"
    vintage("put", folder / "add", "--archive", made, "--name", "add", "--producer", "measured 1",
            "--build-date", "2025-06-01")  # fmt: skip
    for name, seconds in (("measured 1", "1e-8"), ("measured 2", "2.5e-8"), ("measured 3", "4e-8")):
        vintage("builds", "add", "--archive", made, "--name", name, "--date", "2025-06-10", "--",
                BINARIES / "vintage_measuring_worker", seconds, "1", "1000")  # fmt: skip
    return made


def test_slower_than_its_producer_is_broken(archive):
    report = check(archive, "measured 2", speed=2.0)
    assert (report.verdict, report.exit_status) == ("broken", 1)
    (slower,) = report.slower
    assert slower.beside == "measured 1"
    assert slower.ratio == pytest.approx(2.5)
    with pytest.raises(AssertionError, match=r"add: it runs 2\.5 times as long as on measured 1"):
        report.raise_for_failures()


def test_within_the_bound_it_holds(archive):
    report = check(archive, "measured 2", speed=3.0)
    assert (report.verdict, report.slower) == ("holds", ())
    assert check(archive, "measured 3", speed=2.0, beside="measured 2").verdict == "holds"
    assert check(archive, "measured 1", speed=2.0).verdict == "holds"  # Beside itself.


def test_who_is_not_there_is_said(archive):
    with pytest.raises(VintageError, match="no registered build"):
        check(archive, "engine", speed=2.0)
    with pytest.raises(VintageError, match="measured 9"):
        check(archive, "measured 2", speed=2.0, beside="measured 9")
