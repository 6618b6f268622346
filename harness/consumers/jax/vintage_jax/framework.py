"""JAX, as the shared programs know it."""

from pathlib import Path

from vintage_python.framework import Framework

JAX = Framework(
    name="jax",
    title="JAX",
    package=Path(__file__).resolve().parent,
    project="jaxlib",
    companions=("jax",),
    others=("flatbuffers", "absl-py"),
    example="0.8.1, 0.4.30..0.12",
    conditions=("warm", "fresh"),
    produces="exported",
    root_variable="VINTAGE_JAX_ROOT",
    root_folder="jax",
)
