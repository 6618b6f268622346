"""Our declarations of the PJRT C API are those of the header that a plugin's package carries."""

import subprocess
from pathlib import Path

import pytest
from frameworks import ROOT

from c_api_header import REPOSITORY, comparison, ffi_comparison


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


# jaxlib carries the header of XLA's FFI; the first with metadata of a handler is 0.4.35's.
FFI_RELEASES = ["0.4.35", "0.5.3", "0.8.1", "0.12.0"]


@pytest.fixture(params=FFI_RELEASES)
def ffi_header(request):
    found = list(ROOT.glob(f"environments/*/lib/*/site-packages/jaxlib-{request.param}.dist-info"))
    if not found:
        pytest.skip(f"jaxlib {request.param} is not installed under {ROOT}")
    return found[0].parent / "jaxlib/include/xla/ffi/api/c_api.h"


def test_each_field_of_a_call_of_the_ffi_has_its_place(ffi_header, compiler):
    program = ffi_comparison(ffi_header)
    assert program.count("static_assert") > 50
    done = check(compiler, program)
    assert done.returncode == 0, done.stderr


def test_a_field_of_the_ffi_in_another_place_is_found(ffi_header, compiler):
    program = ffi_comparison(ffi_header)
    done = check(compiler, program.replace("XLA_FFI_Buffer, dims", "XLA_FFI_Buffer, data"))
    assert done.returncode != 0
    assert "FfiBuffer.dimensions" in done.stderr
