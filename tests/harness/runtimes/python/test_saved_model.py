"""A SavedModel's folder as one file, without TensorFlow."""

import base64
import io
import tarfile

import pytest

from vintage_python.worker.outcome import UnsupportedError
from vintage_tensorflow.saved_model import pack, unpack


@pytest.fixture
def model(tmp_path):
    folder = tmp_path / "model"
    (folder / "variables").mkdir(parents=True)
    (folder / "assets").mkdir()
    (folder / "saved_model.pb").write_bytes(b"graph")
    (folder / "variables/variables.index").write_bytes(b"index")
    (folder / "fingerprint.pb").write_bytes(b"a number drawn at random")
    return folder


def test_the_same_files_give_the_same_bytes(model, tmp_path):
    first = pack(model)
    (model / "fingerprint.pb").write_bytes(b"another one")
    (model / "saved_model.pb").touch()
    assert pack(model) == first
    with tarfile.open(fileobj=io.BytesIO(first)) as archive:
        assert archive.getnames() == ["saved_model.pb", "variables/variables.index"]
        assert {(each.mtime, each.uid, each.uname) for each in archive} == {(0, 0, "")}


def test_what_was_packed_is_there_again(model, tmp_path):
    place = unpack(pack(model), tmp_path / "again")
    assert place == tmp_path / "again"
    assert (place / "variables/variables.index").read_bytes() == b"index"


def test_a_tar_file_in_base64_with_a_folder_of_its_own_is_read(model, tmp_path):
    """So jax2tf's tests kept theirs."""
    packed = io.BytesIO()
    with tarfile.open(fileobj=packed, mode="w") as archive:
        archive.add(model, "saved_model")
    place = unpack(base64.b64encode(packed.getvalue()), tmp_path / "again")
    assert place == tmp_path / "again/saved_model"
    assert (place / "saved_model.pb").read_bytes() == b"graph"


@pytest.mark.parametrize("artifact", [b"", b"\x0a\x5b\x0a\x09the_input", b"Li8uL0BQ", b"x" * 5000])
def test_other_bytes_are_said_to_be_none(artifact, tmp_path):
    with pytest.raises(UnsupportedError, match="no tar file of a SavedModel"):
        unpack(artifact, tmp_path)


@pytest.mark.parametrize("name", ["../evil", "/evil", "a/../../evil"])
def test_a_file_outside_the_folder_is_refused(name, tmp_path):
    packed = io.BytesIO()
    with tarfile.open(fileobj=packed, mode="w") as archive:
        archive.addfile(tarfile.TarInfo(name))
    (tmp_path / "in").mkdir()
    with pytest.raises(ValueError, match="lies outside its folder"):
        unpack(packed.getvalue(), tmp_path / "in")
    assert list(tmp_path.iterdir()) == [tmp_path / "in"]


def test_a_tar_file_of_something_else_is_named(tmp_path):
    packed = io.BytesIO()
    with tarfile.open(fileobj=packed, mode="w") as archive:
        archive.addfile(tarfile.TarInfo("a.txt"))
    with pytest.raises(ValueError, match="holds no saved_model"):
        unpack(packed.getvalue(), tmp_path)
