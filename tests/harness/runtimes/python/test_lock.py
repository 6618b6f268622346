"""Locks as files, from anybody."""

import json

import pytest

from vintage_python.environment.lock import Package, read_lock
from vintage_python.failure import Failure

NUMPY = Package("numpy", "1.26.4", "numpy-1.26.4-cp312-cp312-linux_x86_64.whl", "a" * 64)
JAX = Package("jax", "0.4.30", "jax-0.4.30-py3-none-any.whl", "b" * 64)


def write(folder, packages, **others):
    path = folder / "lock.json"
    rows = [vars(package) | others for package in packages]
    path.write_text(json.dumps({"python": "3.12", "packages": rows}))
    return path


def test_a_lock_is_read_in_the_order_of_names(tmp_path):
    assert read_lock(write(tmp_path, [NUMPY, JAX])) == ("3.12", [JAX, NUMPY])


@pytest.mark.parametrize(
    "change",
    [
        {"name": "jax --index-url http://nowhere"},
        {"name": "../jax"},
        {"version": "0.4.30 --hash=sha256:0"},
        {"version": "0.4.30\n--find-links /tmp"},
        {"sha256": "0" * 63},
        {"sha256": ""},
        {"sha256": None},
        {"wheel": "jax-0.4.30.tar.gz"},
        {"wheel": "../jax-0.4.30-py3-none-any.whl"},
    ],
)
def test_words_that_would_tell_uv_something_else_are_refused(tmp_path, change):
    with pytest.raises(Failure, match="is no name, version, wheel and sha256 of a package"):
        read_lock(write(tmp_path, [JAX], **change))


@pytest.mark.parametrize(
    "text",
    [
        "", "[]", "{}", '{"python": "3.12"}', '{"packages": []}',
        '{"python": "3.12", "packages": [{"name": "jax", "version": "0.4.30"}]}',
        '{"python": "3.12", "packages": ["jax"]}',
    ],
)  # fmt: skip
def test_what_is_no_lock_is_named(tmp_path, text):
    path = tmp_path / "lock.json"
    path.write_text(text)
    with pytest.raises(Failure, match=r"lock\.json is no lock"):
        read_lock(path)


def test_a_lock_of_nothing_is_refused(tmp_path):
    with pytest.raises(Failure, match="it lists no packages"):
        read_lock(write(tmp_path, []))
