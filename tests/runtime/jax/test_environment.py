"""Bad input to `environment`, without a network: nothing stays half made."""

import hashlib
import json
import os
import platform
import subprocess
import sys
from pathlib import Path

import pytest

from conftest import PROGRAM
from fake_wheels import promise, write_release, write_wheel
from vintage_jax.release import JAX
from vintage_python.environment.make import take_package
from vintage_python.environment.record import read_environment
from vintage_python.environment.uv import Uv
from vintage_python.failure import Failure

RELEASE = "99.0"


@pytest.fixture
def wheels(tmp_path):
    folder = tmp_path / "wheels"
    folder.mkdir()
    return folder


@pytest.fixture
def settings(uv, tmp_path):
    """This interpreter alone is found, and uv."""
    folder = tmp_path / "bin"
    folder.mkdir()
    (folder / "python3").symlink_to(sys.executable)
    (folder / "uv").symlink_to(uv)
    return {**os.environ, "PATH": str(folder), "PYENV_ROOT": "/nowhere",
            "UV_PYTHON_INSTALL_DIR": "/nowhere", "MARK": str(tmp_path / "mark")}  # fmt: skip


@pytest.fixture
def make(run_program, tmp_path, wheels, settings):
    """Runs the program over the folder of wheels, which lists them."""

    def run(*arguments, listed=True):
        if listed and not (wheels / "SHA256SUMS").exists():
            promise(wheels)
        return run_program("environment", "--root", tmp_path / "root", "--wheels", wheels,
                           *arguments, env=settings)  # fmt: skip

    return run


@pytest.fixture
def make_aside(tmp_path, wheels, settings):
    """Starts the same and does not wait."""

    def start(*arguments):
        command = [sys.executable, PROGRAM, "environment", "--root", tmp_path / "root",
                   "--wheels", wheels, *arguments]  # fmt: skip
        return subprocess.Popen(command, env=settings, text=True, stdout=subprocess.PIPE,
                                stderr=subprocess.PIPE)  # fmt: skip

    return start


def made(tmp_path):
    root = tmp_path / "root"
    left = [path for path in root.glob("partial/*") if path.is_dir()]
    return list(root.glob("environments/*")) + list(root.glob("packages/*")) + left


def test_a_release_that_does_not_import_is_not_registered(make, wheels, tmp_path):
    write_release(wheels, RELEASE, jax="raise ImportError('libjax is not here')")
    done = make("--jax", RELEASE)
    assert done.returncode == 3
    assert "JAX does not import: libjax is not here" in done.stderr
    assert made(tmp_path) == []


def test_a_release_that_kills_its_process_is_not_registered(make, wheels, tmp_path):
    write_release(wheels, RELEASE, jax="import os, signal; os.kill(os.getpid(), signal.SIGSEGV)")
    done = make("--jax", RELEASE)
    assert done.returncode == 3
    assert "it ended with status -11" in done.stderr
    assert made(tmp_path) == []


def test_a_missing_wheel_is_named(make, wheels, tmp_path):
    write_release(wheels, RELEASE, needs=["opt_einsum"])
    done = make("--jax", RELEASE)
    assert done.returncode == 3
    assert "opt-einsum was not found in the provided package locations" in done.stderr
    assert made(tmp_path) == []


def test_a_file_that_the_list_does_not_promise_is_a_wrong_hash(make, wheels, tmp_path):
    write_release(wheels, RELEASE)
    promise(wheels)
    write_wheel(wheels, "jax", RELEASE, {"jax/__init__.py": "spoilt"})
    done = make("--jax", RELEASE)
    assert done.returncode == 3
    assert f"jax-{RELEASE}-py3-none-any.whl has the wrong hash" in done.stderr
    assert made(tmp_path) == []


def test_a_wheel_that_is_not_the_promised_one_is_refused(make, wheels, tmp_path):
    write_release(wheels, RELEASE)
    promise(wheels)
    lines = (wheels / "SHA256SUMS").read_text().splitlines()
    (wheels / "SHA256SUMS").write_text("".join(f"{'0' * 64}{line[64:]}\n" for line in lines))
    done = make("--jax", RELEASE)
    assert done.returncode == 3
    assert f"sha256 {'0' * 64} was promised" in done.stderr
    assert made(tmp_path) == []


MARK = "import os; open(os.environ['MARK'], 'w').close()\n"


def test_a_wheel_that_the_list_does_not_name_never_runs(make, wheels, tmp_path):
    """A wheel lay in the folder that its SHA256SUMS did not list. It was the newest of its package,
    so it was taken all the same, and its .pth ran in each process of the environment."""
    write_release(wheels, RELEASE)
    promise(wheels)
    write_wheel(wheels, "absl_py", "2.0", {"absl_py.pth": MARK})
    done = make("--jax", RELEASE)
    assert not (tmp_path / "mark").exists()
    assert done.returncode == 3
    assert "SHA256SUMS does not list absl_py-2.0-py3-none-any.whl" in done.stderr
    assert made(tmp_path) == []


def test_a_folder_without_a_list_is_told_how_to_get_one(make, wheels, tmp_path):
    write_release(wheels, RELEASE)
    done = make("--jax", RELEASE, listed=False)
    assert done.returncode == 3
    assert f"(cd {wheels} && sha256sum *.whl > SHA256SUMS)" in done.stderr
    assert made(tmp_path) == []


def test_a_wheel_that_is_cut_off_is_named(make, wheels, tmp_path):
    write_release(wheels, RELEASE)
    whole = wheels / "flatbuffers-1.0-py3-none-any.whl"
    whole.write_bytes(whole.read_bytes()[:100])
    done = make("--jax", RELEASE)
    assert done.returncode == 3
    assert "flatbuffers" in done.stderr
    assert made(tmp_path) == []


def test_a_file_outside_of_a_wheel_is_not_written(make, wheels, tmp_path):
    write_release(wheels, RELEASE)
    write_wheel(wheels, "absl_py", "1.0", {"../../outside.py": "x = 1"})
    make("--jax", RELEASE)
    assert not list(tmp_path.rglob("outside.py"))


@pytest.fixture
def installed(uv, wheels, tmp_path):
    """Installs one wheel of these files; the folder that it lies in."""

    def install_one(files, programs=()):
        write_wheel(wheels, "package", "1.0", files, programs=programs)
        promise(wheels)
        over = Uv(tmp_path / "root", wheels)
        return take_package(over, "package", "1.0", over.interpreters()[0])[1]

    return install_one


def test_a_package_that_holds_others_with_lists_of_their_own(installed):
    """setuptools 80 holds packages with their RECORDs, and the wheel had "no list of its files"."""
    content = installed({
        "package/__init__.py": "",
        "package/_vendor/other-2.0.dist-info/RECORD": "other.py,,\n",
    })  # fmt: skip
    assert (content / "package/_vendor/other-2.0.dist-info/RECORD").is_file()


def test_a_program_in_a_package_can_be_started(installed):
    """iree-compile lies in its package, and could not be started."""
    content = installed(
        {"package/compile": "#!/bin/sh\necho compiled\n", "package/data": ""},
        programs=["package/compile"],
    )
    done = subprocess.check_output([content / "package/compile"], text=True)
    assert done == "compiled\n"
    assert not os.access(content / "package/data", os.X_OK)


# Answers for `describe`, which has put its standard output aside when it imports JAX.
FAKE_JAX = """
import json, os, sys
answer = {"name": "jax 99.0", "released": sys.argv[sys.argv.index("--released") + 1]}
os.write(3, json.dumps(answer).encode())
os._exit(0)
"""


@pytest.fixture
def release(wheels):
    """A release that describes itself, and runs a program in each process of its environment."""
    pth = {"absl_py.pth": "import sys; sys.package_was_here = True\n", "absl_py.py": ""}
    write_release(wheels, RELEASE, jax=FAKE_JAX)
    write_wheel(wheels, "absl_py", "1.0", pth)
    promise(wheels)


def place_of(done):
    assert done.returncode == 0, done.stderr
    (record,) = json.loads(done.stdout)["environments"]
    return record, Path(record["path"])


def ask(place, question):
    return subprocess.check_output([place / "bin/python", "-c", question], text=True).strip()


def test_what_a_package_has_each_interpreter_do_is_done(make, release):
    """setuptools gives distutils to Python 3.12 by a .pth, and TensorFlow 2.18 did not import."""
    _, place = place_of(make("--jax", RELEASE, "--format", "json"))
    assert ask(place, "import sys, absl_py; print(sys.package_was_here)") == "True"


def test_an_environment_answers_with_its_lock(make, release, wheels):
    record, _ = place_of(make("--jax", RELEASE, "--format", "json"))
    assert (record["framework"], record["release"]) == ("jax", RELEASE)
    assert (record["released"], record["released_by"]) == ("2026-03-04", "the wheel")
    listed = {line[66:]: line[:64] for line in (wheels / "SHA256SUMS").read_text().splitlines()}
    assert {each["wheel"]: each["sha256"] for each in record["packages"]} == listed
    again, _ = place_of(make("--jax", RELEASE, "--format", "json"))
    assert again["packages"] == record["packages"]


def test_calls_at_once_make_one_environment(make_aside, release):
    """Each call made it, and the last removed those of the others while their workers ran."""
    calls = [make_aside("--jax", RELEASE, "--format", "json") for _ in range(3)]
    said = [call.communicate() for call in calls]
    assert [call.returncode for call in calls] == [0, 0, 0], said
    assert sum(err.count("installing 4 wheels") for _, err in said) == 1


@pytest.fixture
def lock(make, release, tmp_path):
    """Writes a lock with what the environment has, changed; its path."""
    record, _ = place_of(make("--jax", RELEASE, "--format", "json"))
    python = record["python"]["version"].rpartition(".")[0]

    def write(change=lambda packages: packages, python=python):
        packages = [dict(package) for package in record["packages"]]
        path = tmp_path / "lock.json"
        path.write_text(json.dumps({"python": python, "packages": change(packages)}))
        return path

    return write


def test_a_lock_of_the_same_wheels_is_the_environment_that_is_there(make, lock):
    record, place = place_of(make("--jax", RELEASE, "--format", "json"))
    locked, same = place_of(make("--jax", RELEASE, "--lock", lock(), "--format", "json"))
    assert same == place
    assert locked == record


def test_a_lock_of_other_wheels_is_an_environment_beside_it(make, lock, wheels):
    _, place = place_of(make("--jax", RELEASE, "--format", "json"))
    write_wheel(wheels, "absl_py", "0.9", {"absl_py.py": "old = True"})
    promise(wheels)
    sha256 = hashlib.sha256((wheels / "absl_py-0.9-py3-none-any.whl").read_bytes()).hexdigest()

    def older(packages):
        wheel = {"version": "0.9", "wheel": "absl_py-0.9-py3-none-any.whl", "sha256": sha256}
        return [each | (wheel if each["name"] == "absl_py" else {}) for each in packages]

    record, beside = place_of(make("--jax", RELEASE, "--lock", lock(older), "--format", "json"))
    assert beside != place
    assert ask(beside, "import absl_py; print(absl_py.old)") == "True"
    assert "package_was_here" in ask(place, "import sys; print(*vars(sys))")
    assert [each["version"] for each in record["packages"] if each["name"] == "absl_py"] == ["0.9"]


def _with_hash(packages):
    return [each | {"sha256": "0" * 64} for each in packages]


def _with_stranger(packages):
    return [*packages, {"name": "stranger", "version": "1.0",
                        "wheel": "stranger-1.0-py3-none-any.whl", "sha256": "0" * 64}]  # fmt: skip


@pytest.mark.parametrize(
    ("change", "words"),
    [
        (_with_hash, "Hash mismatch"),
        (_with_stranger, "these packages: stranger==1.0"),
        (lambda packages: packages[1:], "the lock and the release's needs differ"),
    ],
)
def test_a_lock_that_differs_from_what_there_is_installs_nothing(
    make, lock, wheels, tmp_path, change, words
):
    """A lock comes with an archive, from anybody: it is no way to have a package installed that the
    release does not need."""
    write_wheel(wheels, "stranger", "1.0", {"stranger.pth": MARK})
    promise(wheels)
    done = make("--jax", RELEASE, "--lock", lock(change))
    assert done.returncode == 3
    assert words in done.stderr
    assert not (tmp_path / "mark").exists()
    assert len(made(tmp_path)) == 1  # The one that lock() looked at.


def test_a_lock_of_a_python_that_is_not_here_is_refused(make, lock):
    done = make("--jax", RELEASE, "--lock", lock(python="3.99"))
    assert done.returncode == 3
    assert f"jaxlib {RELEASE} needs Python 3.99; here are" in done.stderr


def test_a_release_that_is_not_in_the_folder_is_named(make, wheels):
    write_release(wheels, RELEASE)
    done = make("--jax", "98.0")
    assert done.returncode == 3
    assert f"jaxlib 98.0 does not exist as a wheel for this machine; the nearest are {RELEASE}" in (
        done.stderr
    )


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        ([], "say either --jax RELEASE or --python PATH"),
        (["--jax", "newest"], "'newest' is no release;"),
        (["--jax", "window"], "a folder of wheels names no days"),
        (["--jax", RELEASE, "--today", "yesterday"], "--today yesterday: no day"),
        (["--jax", RELEASE, "--released", "2026-13-01"], "--released 2026-13-01: no day"),
        (["--jax", RELEASE, "--backward-days", "-1"], "no negative number of days"),
    ],
)
def test_a_wrong_call_is_status_2(make, wheels, arguments, words):
    write_release(wheels, RELEASE)
    done = make(*arguments)
    assert done.returncode == 2
    assert words in done.stderr
    assert done.stdout == ""


def test_an_interpreter_that_does_not_exist(run_program):
    done = run_program("environment", "--python", "/nowhere/python3")
    assert done.returncode == 3
    assert "/nowhere/python3: there is no such interpreter" in done.stderr


def test_an_interpreter_without_jax(run_program):
    done = run_program("environment", "--python", sys.executable, "--released", "2026-01-01")
    if "JAX does not import" not in done.stderr:
        pytest.skip("the interpreter of these tests has a JAX")
    assert done.returncode == 3


def test_what_is_no_interpreter(run_program, tmp_path):
    program = tmp_path / "python3"
    program.write_text("#!/bin/sh\necho hello\n")
    program.chmod(0o755)
    done = run_program("environment", "--python", program)
    assert done.returncode == 3
    assert "is no Python interpreter that starts" in done.stderr


def test_this_interpreter_is_found(monkeypatch, uv, tmp_path):
    (tmp_path / "python3").symlink_to(sys.executable)
    (tmp_path / "uv").symlink_to(uv)
    monkeypatch.setenv("PATH", str(tmp_path))
    found = [each.version for each in Uv(tmp_path).interpreters()]
    assert platform.python_version() in found


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("{", "is damaged"),
        ("{}", "is not the record of an environment"),
        (json.dumps({"format": "vintage jax environment", "version": 2}), "version 2; 1 is read"),
    ],
)
def test_a_damaged_record_is_named(tmp_path, text, words):
    (tmp_path / "environment.json").write_text(text)
    with pytest.raises(Failure, match=words):
        read_environment(JAX, tmp_path)


def test_a_folder_that_is_no_environment(tmp_path):
    with pytest.raises(Failure, match=r"is no environment of a JAX release"):
        read_environment(JAX, tmp_path)
