"""Environments of real releases."""

import json
import os
import shutil
import subprocess
from datetime import date
from pathlib import Path

import pytest

from vintage_jax.release import JAX
from vintage_python.environment.record import read_environment
from vintage_python.environment.releases import parse_version


def test_the_release_is_what_was_asked_for(oldest):
    record = read_environment(JAX, oldest)
    assert record["name"] == "jax 0.4.30"
    assert record["released"] == "2024-06-18"  # The index's day of jaxlib.
    assert {"jax", "jaxlib", "numpy", "scipy", "ml_dtypes", "flatbuffers"} <= {
        package["name"] for package in record["packages"]
    }
    assert all(len(package["sha256"]) == 64 for package in record["packages"])


def test_what_it_says_of_itself(environment):
    runtime = read_environment(JAX, environment)["runtime"]
    assert runtime["calling_convention"]["oldest"] == 9
    assert runtime["stablehlo"]["oldest"] == "0.9.0"
    listed = {target["name"] for target in runtime["stable_targets"]}
    assert "Sharding" in listed
    registered = {target["name"]: target["api_versions"] for target in runtime["targets"]}
    assert not {"malloc", "sinf", "__xla_cpu_runtime_TracingEnd"} & registered.keys()
    if runtime["runtime_version"] == "0.4.30":
        assert registered["lapack_spotrf"] == [1, 2, 3]
        assert runtime["serialization"]["newest"] == 2
        assert runtime["serialization"]["oldest"] == 2
        assert runtime["packages"]["minimum_jaxlib"] == "0.4.27"
    else:
        assert registered["lapack_spotrf_ffi"] == [4]
        # Since 0.11.1 what 0.8.1 and older exported has expired.
        assert runtime["serialization"]["newest"] >= 11
        expires = parse_version(runtime["runtime_version"]) >= parse_version("0.11.1")
        assert runtime["serialization"]["oldest"] == (5 if expires else 2)


def test_a_second_call_makes_nothing(environment, root, run_program):
    release = read_environment(JAX, environment)["release"]
    before = (environment / "environment.json").stat()
    done = run_program("environment", "--jax", release, "--root", root, "--format", "json")
    assert done.returncode == 0, done.stderr
    assert "installing" not in done.stderr
    (record,) = json.loads(done.stdout)["environments"]
    assert record["path"] == str(environment)
    assert record["consumer"]["fresh"][-1] == "fresh"
    # The file stays, and its time says that the environment was used.
    after = (environment / "environment.json").stat()
    assert after.st_ino == before.st_ino
    assert after.st_mtime_ns > before.st_mtime_ns


def test_a_broken_environment_is_made_again_from_what_is_kept(oldest, run_program, tmp_path, root):
    """The interpreter's link is gone, and then a package."""
    copy = tmp_path / "root"
    (copy / "environments").mkdir(parents=True)
    (copy / "cache").symlink_to(root / "cache")
    broken = copy / "environments" / oldest.name
    shutil.copytree(oldest, broken, symlinks=True)
    (broken / "bin/python").unlink()
    command = ("environment", "--jax", "0.4.30", "--root", copy)
    offline = {**os.environ, "UV_OFFLINE": "1"}
    done = run_program(*command, env=offline)
    assert done.returncode == 0, done.stderr
    assert "is broken: its interpreter" in done.stderr
    for file in broken.glob("lib/*/site-packages/opt_einsum*"):
        shutil.rmtree(file)
    done = run_program(*command, env=offline)
    assert done.returncode == 0, done.stderr
    assert "lacks opt_einsum" in done.stderr
    check = [broken / "bin/python", "-c", "import jax; print(jax.__version__)"]
    assert subprocess.check_output(check, text=True).strip() == "0.4.30"


def test_what_an_interrupted_run_left_is_removed(oldest, run_program, root):
    leftover = root / "partial" / oldest.name
    leftover.mkdir()
    run_program("environment", "--jax", "0.4.30", "--root", root)
    assert not leftover.exists()


def test_releases_share_the_files_of_a_wheel(oldest):
    """uv's cache and each environment link to the same file."""
    (file,) = oldest.glob("lib/*/site-packages/jax/version.py")
    assert file.stat().st_nlink > 1


def test_a_package_is_of_the_day_of_the_release(oldest):
    """SciPy 1.14 came six days after 0.4.30 and broke it."""
    packages = {each["name"]: each for each in read_environment(JAX, oldest)["packages"]}
    assert packages["scipy"]["version"] == "1.13.1"


def test_an_environment_over_shared_packages_goes_on(oldest, run_program, tmp_path):
    """As Vintage made them before it used uv: site-packages holds the places of unpacked wheels."""
    old = tmp_path / "root/environments" / oldest.name
    shutil.copytree(oldest, old, symlinks=True)
    (site,) = old.glob("lib/*/site-packages")
    packages = tmp_path / "root/packages/sha256/content"
    packages.parent.mkdir(parents=True)
    site.rename(packages)
    site.mkdir()
    (site / "vintage.pth").write_text("../../../../../packages/sha256/content\n")
    check = [old / "bin/python", "-c", "import jax; print(jax.__file__)"]
    assert subprocess.check_output(check, text=True).startswith(str(packages))
    before = read_environment(JAX, old)
    done = run_program("environment", "--jax", "0.4.30", "--root", tmp_path / "root")
    assert done.returncode == 0, done.stderr
    assert read_environment(JAX, old) == before
    assert subprocess.check_output(check, text=True).startswith(str(site))


def test_bytecode_is_kept_even_where_the_shell_forbids_it(environment):
    """Containers often set PYTHONDONTWRITEBYTECODE, and then each process compiled the sources
    of JAX, NumPy and SciPy again: six seconds instead of one and a half for each start."""
    shell = {**os.environ, "PYTHONDONTWRITEBYTECODE": "1"}
    code = "import jax; print(jax.__cached__)"
    cached = subprocess.check_output([environment / "bin/python", "-c", code], text=True, env=shell)
    assert Path(cached.strip()).is_file()


def test_an_environment_of_your_own(environment, run_program):
    python = environment / "bin/python"
    done = run_program("environment", "--python", python, "--released", "2026-02-03",
                       "--format", "json")  # fmt: skip
    assert done.returncode == 0, done.stderr
    (record,) = json.loads(done.stdout)["environments"]
    assert record["released"] == "2026-02-03"
    assert record["released_by"] == "the caller"
    assert record["name"] == read_environment(JAX, environment)["name"]
    assert "--released" in record["consumer"]["warm"]


def test_the_window_of_a_day_is_what_was_released_in_it(index, run_program):
    done = run_program("environment", "--jax", "window", "--root", "/nowhere", "--list",
                       "--today", "2025-01-20", "--format", "json")  # fmt: skip
    assert done.returncode == 0, done.stderr
    listed = json.loads(done.stdout)
    versions = [row["release"] for row in listed["releases"]]
    versions += [row["release"] for row in listed["left_out"]]
    days = {row["release"]: date.fromisoformat(row["released"]) for row in listed["releases"]}
    assert {"0.4.31", "0.4.35", "0.5.0"} <= set(versions)
    assert not {"0.4.30", "0.5.1"} & set(versions)
    assert all(date(2024, 7, 24) <= day <= date(2025, 1, 20) for day in days.values())


def test_a_withdrawn_release_is_named_with_its_day(index, run_program):
    """jax 0.4.32 "did not exist as a wheel for this machine": the index has withdrawn it."""
    done = run_program("environment", "--jax", "0.4.32", "--root", "/nowhere", "--list")
    assert done.returncode == 0, done.stderr
    assert done.stdout.startswith("2024-09-11  jax 0.4.32")
    assert "jaxlib was withdrawn from the package index" in done.stderr


def test_a_worker_of_another_release_is_refused(newest, oldest, run_program, tmp_path):
    done = run_program("produce", "--environment", newest, "--out", tmp_path / "out",
                       python=oldest / "bin/python")  # fmt: skip
    assert done.returncode == 3
    assert "this interpreter has 0.4.30" in done.stderr


@pytest.mark.parametrize("program", ["worker", "describe"])
def test_a_folder_that_is_no_environment(run_program, tmp_path, program):
    done = run_program(program, "--environment", tmp_path)
    assert done.returncode == 3
    assert "is no environment of a JAX release" in done.stderr
    assert done.stdout == ""
