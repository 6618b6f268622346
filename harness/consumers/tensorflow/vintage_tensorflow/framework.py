"""TensorFlow, as the shared programs know it."""

from pathlib import Path

from vintage_python.framework import Framework

TENSORFLOW = Framework(
    name="tensorflow",
    title="TensorFlow",
    package=Path(__file__).resolve().parent,
    project="tensorflow-cpu",
    example="2.21.0, 2.16..2.21",
    produces="saved model",
    formats=("exported", "portable artifact", "saved model"),
    oldest="2.16",  # Calling convention 9, which JAX writes since 0.4.24, came with it.
)
