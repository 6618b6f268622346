"""iree-compile as a process of its own; shell scripts stand in for it."""

import pytest

from vintage_iree.worker import compiler
from vintage_iree.worker.compiler import CompilationError, compile_module
from vintage_python.worker.outcome import first_error


@pytest.fixture
def stub(tmp_path, monkeypatch):
    program = tmp_path / "iree-compile"

    def write(body):
        program.write_text(f"#!/bin/sh\n{body}\n")
        program.chmod(0o755)
        monkeypatch.setattr(compiler, "compiler_program", lambda: program)
        folder = tmp_path / "work"
        folder.mkdir(exist_ok=True)
        return folder

    return write


def test_f64_is_not_made_f32(stub):
    folder = stub('echo "$@" > "$(dirname "$1")/options"; for last; do :; done; cp "$1" "$last"')
    assert compile_module(b"a module", folder).read_bytes() == b"a module"
    options = (folder / "options").read_text().split()
    assert "--iree-input-demote-f64-to-f32=false" in options
    assert "--iree-hal-target-backends=llvm-cpu" in options


@pytest.mark.parametrize(
    ("body", "words"),
    [
        ("sleep 60", "iree-compile did not end within 0.5 s"),
        ("kill -SEGV $$", "iree-compile was ended by signal 11"),
        ("echo 'module.mlirbc:1:2: error: failed to legalize' >&2; exit 1", "failed to legalize"),
        ("exit 1", "iree-compile ended with 1"),
        ("exit 0", "iree-compile ended with 0"),  # And wrote nothing.
    ],
)
def test_how_it_fails_is_said(stub, body, words):
    folder = stub(body)
    with pytest.raises(CompilationError) as caught:
        compile_module(b"a module", folder, seconds=0.5)
    assert str(caught.value).startswith(words)


def test_the_first_error_comes_before_its_place():
    text = "m:1:1: warning: generic CPU\nm:2:3: error: 'op' failed\nm:2:3: note: see here\n"
    assert first_error(text) == "'op' failed\nm:2:3: note: see here"
