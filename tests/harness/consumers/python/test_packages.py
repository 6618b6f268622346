"""Wheels as they come: what their packages hold beside modules."""

import base64
import hashlib
import os
import subprocess
import sys
import zipfile

from vintage_python.environment.compose import lay_out
from vintage_python.environment.interpreters import probe
from vintage_python.environment.resolve import Wheel
from vintage_python.environment.wheel_store import WheelStore


def write_wheel(folder, name, files):
    """`files`: by path the text, and whether it is a program."""
    path = folder / f"{name}-1.0-py3-none-any.whl"
    record = ""
    with zipfile.ZipFile(path, "w") as archive:
        for member, (text, program) in files.items():
            info = zipfile.ZipInfo(member, (2026, 3, 4, 0, 0, 0))
            info.external_attr = (0o100755 if program else 0o100644) << 16
            archive.writestr(info, text)
            digest = base64.urlsafe_b64encode(hashlib.sha256(text.encode()).digest())
            record += f"{member},sha256={digest.rstrip(b'=').decode()},\n"
        archive.writestr(f"{name}-1.0.dist-info/RECORD", record)
    return Wheel(name, "1.0", path.name, "", path.as_uri())


def take(tmp_path, files):
    store = WheelStore(tmp_path / "root")
    wheel = write_wheel(tmp_path, "package", files)
    return store, store.take(wheel, None, [], "")


def test_a_package_that_holds_others_with_lists_of_their_own(tmp_path):
    """setuptools 80 holds packages with their RECORDs, and the wheel had "no list of its files"."""
    store, sha256 = take(tmp_path, {
        "package/__init__.py": ("", False),
        "package/_vendor/other-2.0.dist-info/RECORD": ("other.py,,\n", False),
    })  # fmt: skip
    assert (store.content(sha256) / "package/_vendor/other-2.0.dist-info/RECORD").is_file()


def test_a_program_in_a_package_can_be_started(tmp_path):
    """iree-compile lies in its package, and could not be started."""
    store, sha256 = take(tmp_path, {
        "package/compile": ("#!/bin/sh\necho compiled\n", True),
        "package/data": ("", False),
    })  # fmt: skip
    content = store.content(sha256) / "package"
    assert subprocess.check_output([content / "compile"], text=True) == "compiled\n"
    assert not os.access(content / "data", os.X_OK)


def test_what_a_package_has_each_interpreter_do_is_done(tmp_path):
    """setuptools gives distutils to Python 3.12 by a .pth, and TensorFlow 2.18 did not import."""
    store, sha256 = take(tmp_path, {
        "package.pth": ("import sys; sys.package_was_here = True\n/not/a/line/of/code\n", False),
        "package/__init__.py": ("", False),
    })  # fmt: skip
    made = store.content(sha256).parents[2] / "environments/test"
    lay_out(made, probe(sys.executable), store, [sha256])
    asked = "import sys, package; print(sys.package_was_here, '/not/a/line/of/code' in sys.path)"
    done = subprocess.run([made / "bin/python", "-c", asked], capture_output=True, text=True,
                          check=True)  # fmt: skip
    assert done.stdout == "True False\n"
