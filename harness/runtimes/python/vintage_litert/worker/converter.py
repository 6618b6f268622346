"""Makes a portable artifact a TFLite model."""

import re
from typing import Any

from vintage_litert.release import converter_api, mlir, stablehlo
from vintage_python.worker.outcome import Progress, UnsupportedError, first_error

# NumPy gets these as bytes, and takes none.
_BELOW_EIGHT_BITS = re.compile(r"[<x]u?i[24]>")


class ConversionError(Exception):
    """The converter's message."""


def convert_module(code: bytes, progress: Progress) -> bytes:
    api, context = converter_api(), mlir("ir").Context()
    said: list[str] = []

    def hear(diagnostic: Any) -> bool:
        said.append(diagnostic.message)
        return True

    with context:
        api.prepare_mlir_context(context)
        handler = context.attach_diagnostic_handler(hear)
        try:
            with progress.timed("upgrade", "load"):
                module = stablehlo().deserialize_portable_artifact(context, code)
                if found := _BELOW_EIGHT_BITS.search(_type_of_main(module)):
                    raise UnsupportedError(f"LiteRT's runtime takes no array of {found[0][1:-1]}")
            with progress.timed("compile", "compile"):
                api.run_convert_to_tfl_passes(module, mlir("passmanager").PassManager(), _options())
                return bytes(api.export_flatbuffer_to_bytes(module.operation))
        except ValueError as problem:  # Often without the reason.
            raise ConversionError("\n".join([*said, first_error(str(problem))])) from problem
        finally:
            handler.detach()


def _type_of_main(module: Any) -> str:
    functions = [each.attributes for each in module.body if "sym_name" in each.attributes]
    return next(str(f["function_type"]) for f in functions if f["sym_name"].value == "main")


def _options() -> Any:
    options = converter_api().ConvertToTFLConfig()
    options.canonicalizing_inf_as_min_max_float = False  # By default infinity becomes finite.
    return options
