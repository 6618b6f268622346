"""IREE, as the shared programs know it."""

from pathlib import Path

from vintage_python.framework import Framework

IREE = Framework(
    name="iree",
    title="IREE",
    package=Path(__file__).resolve().parent,
    project="iree-base-compiler",
    companions=("iree-base-runtime",),
    others=("numpy", "ml_dtypes"),
    example="3.13.0, 3.1..3.13",
)
