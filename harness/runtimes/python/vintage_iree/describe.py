"""A release's description of itself, in the form of docs/gate/registry.md."""

from typing import Any

from vintage_iree.release import IREE, compiler_version
from vintage_python.exported import CALLING_CONVENTIONS, SERIALIZATION
from vintage_python.programs import Options, described


def describe(options: Options) -> dict[str, Any]:
    """IREE does not say which StableHLO it reads. It knows neither serialization nor calling
    conventions: the worker applies them."""
    return described(
        IREE, compiler_version(), options.released,
        calling_convention=CALLING_CONVENTIONS, serialization=SERIALIZATION,
    )  # fmt: skip
