"""Models of packages that are installed beside a release."""

import shutil
import subprocess
import sys

import pytest

from fake_wheels import promise, write_wheel
from vintage_jax.release import JAX
from vintage_python.environment.beside import put_beside, use_beside
from vintage_python.environment.lock import Package
from vintage_python.failure import Failure


@pytest.fixture
def record(tmp_path, uv):
    """An environment that has `common`, and a folder of wheels with Keras."""
    wheels, place = tmp_path / "wheels", tmp_path / "root/environments/jax-99.0-py3"
    wheels.mkdir()
    (tmp_path / "root/partial").mkdir(parents=True)
    for version in ("1.0", "2.0"):
        write_wheel(wheels, "common", version, {"common.py": ""})
    write_wheel(wheels, "extra", "1.0", {"extra.py": ""})
    for version in ("3.1", "3.2"):
        write_wheel(wheels, "keras", version, {"keras.py": ""}, needs=("common", "extra"))
    write_wheel(wheels, "flax", "1.0", {"flax.py": ""}, needs=("common>1",))
    promise(wheels)
    subprocess.run([uv, "venv", "--quiet", "--python", sys.executable, place], check=True)
    version = ".".join(map(str, sys.version_info[:3]))
    common = Package("common", "1.0", "common-1.0-py3-none-any.whl",
                     dict(reversed(line.split()) for line in (wheels / "SHA256SUMS").open())
                     ["common-1.0-py3-none-any.whl"])  # fmt: skip
    return {"path": str(place), "name": "jax 99.0", "released": "2026-01-01",
            "python": {"version": version}, "wheels": str(wheels),
            "packages": [vars(common)]}  # fmt: skip


def test_only_what_the_environment_lacks_lies_beside_it(record, tmp_path):
    assert put_beside(JAX, record, "keras", []) == "keras==3.2"
    place = tmp_path / "root/environments/jax-99.0-py3/beside/keras-3.2"
    assert {path.name for path in place.glob("*.py")} == {"keras.py", "extra.py"}
    found = use_beside(JAX, place.parents[1], "keras==3.2")
    assert found.released == "2026-03-04"
    shutil.rmtree(record["wheels"])  # It is there: no index is asked.
    assert put_beside(JAX, record, "keras==3.2", []) == "keras==3.2"


def test_one_that_needs_other_versions_than_the_release_is_refused(record, tmp_path):
    with pytest.raises(Failure, match=r"wheels of flax for Python .* are unavailable.*common"):
        put_beside(JAX, record, "flax", [])
    assert not (tmp_path / "root/environments/jax-99.0-py3/beside").exists()
