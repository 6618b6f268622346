"""`vintage gate --measure`: what is said to break is exported by the one release and run by the
other. 0.6.0 lost the untyped LAPACK of 0.4.30 in part."""

import json

import pytest

DAY = "2024-10-01"  # As if 0.6.0 had come while exports of 0.4.30 still count.


@pytest.fixture(scope="module")
def descriptions(oldest, environment_of, run_program):
    def describe(environment):
        done = run_program(
            "describe", "--environment", environment, "--emitted", "--platform", "cpu",
            python=environment / "bin/python")  # fmt: skip
        assert done.returncode == 0, done.stderr
        return json.loads(done.stdout)

    later = describe(environment_of("0.6.0"))
    later |= {"build_date": DAY, "released": DAY, "exporter_released": DAY}
    return describe(oldest), later


def gate(descriptions, folder, vintage):
    for number, description in enumerate(descriptions):
        (folder / f"{number}.json").write_text(json.dumps(description))
    archive = folder.parent / "archive"
    done = vintage("gate", "--facts", folder, "--measure", "--archive", archive,
                   "--format", "json")  # fmt: skip
    assert done.returncode == 1, done.stderr
    (step,) = json.loads(done.stdout)["steps"]
    return {
        finding["instance"]: finding["measured"]
        for finding in step["findings"]
        if finding["rule"] == "emitted-target-removed"
    }


def test_runs_confirm_a_removal_and_contradict_one_that_was_none(descriptions, tmp_path, vintage):
    before, after = descriptions
    # 0.6.0 does hold this one: its description is made to lie.
    after = after | {"targets": [t for t in after["targets"] if t["name"] != "blas_strsm"]}
    folder = tmp_path / "facts"
    folder.mkdir()
    measured = gate((before, after), folder, vintage)
    runs = {run["build"]: run for run in measured["lapack_spotrf@cpu"]}
    warm = runs["jax-0.6.0"]
    assert warm["ran"] == warm["failed"] > 0
    assert "untyped custom call to lapack_spotrf for Host" in warm["message"]
    runs = {run["build"]: run for run in measured["blas_strsm@cpu"]}
    assert runs["jax-0.6.0"]["ran"] > runs["jax-0.6.0"]["failed"] == 0
