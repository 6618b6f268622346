"""Packages beside a release: what may be asked for, and where it is found."""

import json
import sys

import pytest

from vintage_jax.release import JAX
from vintage_python.environment.beside import Beside, use_beside
from vintage_python.failure import Failure, UsageFailure
from vintage_tensorflow.release import TENSORFLOW


@pytest.fixture
def environment(tmp_path, monkeypatch):
    place = tmp_path / "beside/keras-3.15.1"
    place.mkdir(parents=True)
    (place / "beside.json").write_text(json.dumps({"released": "2026-07-29", "packages": []}))
    monkeypatch.setattr(sys, "path", list(sys.path))
    return tmp_path


def test_it_is_importable_and_says_its_day(environment):
    found = use_beside(JAX, environment, "keras==3.15.1")
    assert found == Beside("keras", "3.15.1", "2026-07-29")
    assert (found.name, found.module) == ("keras-3.15.1", "with_keras")
    assert sys.path[-1] == str(environment / "beside/keras-3.15.1")


def test_one_that_is_not_there_is_named_with_the_command_that_installs_it(environment):
    with pytest.raises(Failure, match=r"'vintage produce --with keras==3\.0\.0' installs it"):
        use_beside(JAX, environment, "keras==3.0.0")


def test_without_an_environment_of_ours_it_is_the_interpreters_own(monkeypatch):
    monkeypatch.setattr("importlib.metadata.version", lambda _: "3.15.1")
    assert use_beside(JAX, None, "keras") == Beside("keras", "3.15.1")
    with pytest.raises(Failure, match=r"has keras 3\.15\.1; install it there"):
        use_beside(JAX, None, "keras==3.0.0")


def test_its_models_are_the_releases_or_its_own_where_it_exports_itself():
    keras, torch_xla = (Beside(each, "2.9", "2025-11-17") for each in ("keras", "torch-xla"))
    assert keras.as_producer("jax 0.10.2", "2026-05-01") == ("jax 0.10.2", "2026-05-01")
    assert torch_xla.as_producer("jax 0.10.2", "2026-05-01") == ("torch-xla 2.9", "2025-11-17")


@pytest.mark.parametrize("text", ["orbax-export", "keras=3", "keras==../3", "keras --index-url x"])
def test_others_are_refused_with_those_that_the_framework_takes(text):
    with pytest.raises(UsageFailure, match="with JAX goes keras or torchax or torch-xla or flax"):
        use_beside(JAX, None, text)
    with pytest.raises(UsageFailure, match="with TensorFlow goes keras or orbax-export"):
        use_beside(TENSORFLOW, None, "torchax")
