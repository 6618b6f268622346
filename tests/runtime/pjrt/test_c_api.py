"""Our declarations of the PJRT C API are those of the header that a plugin's package carries."""

import subprocess
from pathlib import Path

import pytest

from c_api_header import REPOSITORY, comparison


@pytest.fixture(scope="module")
def header(plugin):
    return next(Path(plugin["library"]).parent.rglob("pjrt_c_api.h"))


def check(compiler, program):
    command = [compiler, "-std=c++20", "-fsyntax-only", f"-I{REPOSITORY}", "-x", "c++", "-"]
    return subprocess.run(command, input=program, capture_output=True, text=True, check=False)


def test_each_function_and_field_has_its_place(header, compiler):
    program = comparison(header)
    assert program.count("static_assert") > 300
    done = check(compiler, program)
    assert done.returncode == 0, done.stderr


def test_a_field_in_another_place_is_found(header, compiler):
    program = comparison(header).replace(
        "PJRT_Client_Compile_Args, executable", "PJRT_Client_Compile_Args, client"
    )
    done = check(compiler, program)
    assert done.returncode != 0
    assert "ClientCompile.executable" in done.stderr
