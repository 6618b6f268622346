"""The plugin chooses the StableHLO version that a JAX writes: what is recorded has it."""

import json

import pytest

from frameworks import vintage


@pytest.mark.parametrize("version", ["0.19.0", "1.5.0", "1.18.0"])
def test_the_newest_jax_writes_an_old_version(newest, tmp_path, version):
    done = newest.run("where_it_runs.py", VINTAGE_PLUGIN_RECORD=str(tmp_path / "A"),
                      VINTAGE_PLUGIN_STABLEHLO=version)  # fmt: skip
    assert done.returncode == 0, done.stderr
    listed = json.loads(vintage("list", "--archive", tmp_path / "A", "--format", "json").stdout)
    assert {each["stablehlo_version"] for each in listed} == {version}


def test_a_version_that_the_engine_does_not_read_is_one_error(newest):
    done = newest.run("where_it_runs.py", VINTAGE_PLUGIN_STABLEHLO="3.0.0")
    assert done.returncode == 1
    assert "this engine does not read 3.0.0; use a version from 0.9.0 to" in done.stderr
