"""A release's description of itself, in the form of docs/gate/registry.md."""

from typing import Any

from vintage_litert.release import LITERT, converter_version, stablehlo
from vintage_python.exported import CALLING_CONVENTIONS, SERIALIZATION
from vintage_python.programs import Options, described


def describe(options: Options) -> dict[str, Any]:
    """LiteRT knows neither serialization nor calling conventions: the worker applies them."""
    reads = stablehlo()
    return described(
        LITERT, converter_version(), options.released,
        calling_convention=CALLING_CONVENTIONS, serialization=SERIALIZATION,
        stablehlo={"oldest": reads.get_minimum_version(), "newest": reads.get_current_version()},
    )  # fmt: skip
