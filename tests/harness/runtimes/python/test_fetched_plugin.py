"""Which library of a package is its PJRT plugin."""

from pathlib import Path

import pytest

from vintage_python.environment.plugin import library_in
from vintage_python.failure import Failure

PLUGIN = b"\x7fELF\0GetPjrtApi\0"


def put(folder: Path, files: dict[str, bytes]) -> Path:
    for name, content in files.items():
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        (folder / name).write_bytes(content)
    return folder


def test_the_library_that_exports_the_entry_is_the_plugin(tmp_path):
    put(tmp_path, {"a/libhelper.so": b"\x7fELF\0GetPjrtApiVersion\0", "a/plugin.so.1": PLUGIN})
    assert library_in(tmp_path) == tmp_path / "a/plugin.so.1"


def test_a_package_without_a_plugin_is_named(tmp_path):
    put(tmp_path, {"a/libhelper.so": b"\x7fELF", "a/GetPjrtApi.txt": PLUGIN})
    with pytest.raises(Failure, match="no library in this package exports GetPjrtApi"):
        library_in(tmp_path)


def test_of_several_plugins_the_user_chooses(tmp_path):
    put(tmp_path, {"one.so": PLUGIN, "two.so": PLUGIN})
    with pytest.raises(Failure, match=r"one\.so, two\.so"):
        library_in(tmp_path)
