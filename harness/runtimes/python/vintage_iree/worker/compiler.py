"""Compiles a portable artifact with iree-compile, in a process of its own."""

import subprocess
from pathlib import Path

from vintage_iree.release import compiler_program
from vintage_python.lifetime import ends_with_this
from vintage_python.worker.outcome import first_error

COMPILE_SECONDS = 50.0  # Below the minute that `vintage replay` waits for a worker.
_OPTIONS = (
    "--iree-hal-target-backends=llvm-cpu",
    "--iree-llvmcpu-target-cpu=host",  # Compiled code runs on this machine only.
    "--iree-input-demote-f64-to-f32=false",  # Otherwise f64 silently becomes f32.
)


class CompilationError(Exception):
    """The compiler's message, or how it ended."""


def compile_module(code: bytes, folder: Path, seconds: float = COMPILE_SECONDS) -> Path:
    """The compiled module, a file in `folder`, which is its own: a mapped file that is
    overwritten ends the process."""
    source, compiled = folder / "module.mlirbc", folder / "module.vmfb"
    source.write_bytes(code)
    command = [str(compiler_program()), str(source), *_OPTIONS, "-o", str(compiled)]
    try:
        done = subprocess.run(
            command, stdin=subprocess.DEVNULL, capture_output=True, timeout=seconds, check=False,
            preexec_fn=ends_with_this(),
        )  # fmt: skip
    except subprocess.TimeoutExpired:
        raise CompilationError(f"iree-compile did not end within {seconds:g} s") from None
    text = done.stderr.decode(errors="replace").replace(f"{source}:", "module:")
    if done.returncode < 0:
        raise CompilationError(f"iree-compile was ended by signal {-done.returncode}\n{text}")
    if done.returncode != 0 or not compiled.is_file():
        raise CompilationError(first_error(text) or f"iree-compile ended with {done.returncode}")
    return compiled
