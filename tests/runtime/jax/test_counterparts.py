"""JAX's exports for the catalogue's cases, and the comparison with ours."""

import json
import os
import subprocess
from pathlib import Path

import pytest

from vintage_jax.produce.counterparts.use import Use, numbers

CASES = {
    "add": ["add_f32[10,9],f32[10,9]", "add_i8[1,5],i8[4,5]"],
    "acos": ["acos_f32[8,8]", "acos_c64[8,8]"],
    "erf_inv": ["erf_inv_f64[8,8]"],
    "top_k": ["top_k_f32[15]_k=5"],
    "dot_general": ["dot_general_f32[4,3],f32[3,6]_contract=1x0"],
    "cholesky": ["cholesky_f32[2,3,3]"],
    "scatter_add": [
        "scatter_add_f32[10,5],i32[3,1],f32[3,3]_rows_mode=clip_sorted=true_unique=true"
    ],
}


def test_an_id_is_read_back():
    use = Use.parse("dot_general", "dot_general_f8_e4m3fn[4,3],bf16[3,6]_contract=1x0_preferred=x")
    assert [each.dtype for each in use.arguments] == ["float8_e4m3fn", "bfloat16"]
    assert use.arguments[1].shape == (3, 6)
    assert use.field("contract") == "1x0"
    assert Use.parse("iota", "iota_f32[2,3]_dimension=1").arguments == ()
    assert numbers("2-m1") == (2, -1)


# The release off which a profile was read. Bug that this found: the newest profile was held
# against the newest release that the Python here can have, which may be years older.
@pytest.mark.parametrize(("release", "profile"), [("0.8.1", "jax-0.8"), ("0.12.0.1", "jax-0.12")])
def test_what_jax_exports_is_what_the_catalogue_exports(
    release, profile, environment_of, run_program, tmp_path
):
    environment = environment_of(release)
    listed = [
        {"id": name, "primitive": primitive, "variant": "static", "platforms": ["cpu"]}
        for primitive, names in CASES.items()
        for name in names
    ]
    cases = tmp_path / "cases.json"
    cases.write_text(json.dumps({"cases": listed}), encoding="utf-8")
    done = run_program("produce", "--environment", environment, "--counterparts-of", cases, "--out",
                       tmp_path / "out", python=environment / "bin/python")  # fmt: skip
    assert done.returncode == 0, done.stderr
    binary = Path(os.environ.get("VINTAGE_BINARY", "build/release/bin")) / "vintage"
    if not binary.exists():
        pytest.skip("the C++ programs are not built")
    compared = subprocess.run(
        [str(binary), "fidelity", str(tmp_path / "out"), "--profile", profile, "--format", "json"],
        capture_output=True, text=True, check=False,
    )  # fmt: skip
    assert compared.returncode == 0, compared.stderr
    report = json.loads(compared.stdout)
    assert report["comparable"] == len(listed)
    differences = [d for p in report["primitives"].values() for d in p["differences"]]
    assert differences == []


def test_a_file_that_is_no_list_of_cases_is_named(newest, run_program, tmp_path):
    cases = tmp_path / "cases.json"
    cases.write_text("{}", encoding="utf-8")
    done = run_program("produce", "--environment", newest, "--counterparts-of", cases, "--out",
                       tmp_path / "out", python=newest / "bin/python")  # fmt: skip
    assert done.returncode != 0
    assert "vintage cases --format json" in done.stderr
