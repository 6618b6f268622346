"""LiteRT's converter, played by a module of the names that it has."""

from types import SimpleNamespace

import pytest

from vintage_litert.worker import converter
from vintage_litert.worker.converter import ConversionError, convert_module
from vintage_python.worker.outcome import Progress, UnsupportedError


class Context:
    def __enter__(self):
        return self

    def __exit__(self, *_):
        pass

    def attach_diagnostic_handler(self, hear):
        self.hear = hear
        return SimpleNamespace(detach=lambda: None)


def module_of(dtype, code=b""):
    name, kind = SimpleNamespace(value="main"), f"({dtype}) -> tensor<2xf32>"
    main = SimpleNamespace(attributes={"sym_name": name, "function_type": kind})
    return SimpleNamespace(body=[main], operation=code)


@pytest.fixture
def played(monkeypatch):
    """The names, which a test may change, and the options that a conversion got."""
    options = SimpleNamespace(canonicalizing_inf_as_min_max_float=True)
    names = SimpleNamespace(
        Context=Context,
        PassManager=lambda: None,
        options=options,
        ConvertToTFLConfig=lambda: options,
        prepare_mlir_context=lambda context: None,
        deserialize_portable_artifact=lambda context, code: module_of("tensor<2xf32>", code),
        run_convert_to_tfl_passes=lambda module, passes, options: None,
        export_flatbuffer_to_bytes=lambda operation: operation + b" as a model",
    )
    monkeypatch.setattr(converter, "converter_api", lambda: names)
    monkeypatch.setattr(converter, "stablehlo", lambda: names)
    monkeypatch.setattr(converter, "mlir", lambda module: names)
    return names


def test_infinity_is_not_made_finite(played):
    assert convert_module(b"a module", Progress()) == b"a module as a model"
    assert not played.options.canonicalizing_inf_as_min_max_float


def test_the_reason_of_a_failure_comes_first_and_with_its_stage(played):
    def convert(module, passes, options):
        raise ValueError("Failed to run converter passes: <unknown>:0: error: failed to legalize")

    played.run_convert_to_tfl_passes = convert
    progress = Progress()
    with pytest.raises(ConversionError, match=r"^failed to legalize$"):
        convert_module(b"a module", progress)
    assert progress.stage == "compile"


def test_a_module_that_is_not_read_says_why(played):
    def read(context, code):
        context.hear(SimpleNamespace(message="dialect 'sdy' is not there"))
        raise ValueError("failed to deserialize module")

    played.deserialize_portable_artifact = read
    progress = Progress()
    with pytest.raises(ConversionError) as caught:
        convert_module(b"a module", progress)
    assert str(caught.value) == "dialect 'sdy' is not there\nfailed to deserialize module"
    assert progress.stage == "upgrade"


def test_types_below_eight_bits_are_not_passed(played):
    """The interpreter gives an i4 as an i8, which a comparison would call wrong."""
    played.deserialize_portable_artifact = lambda context, code: module_of("tensor<2xui4>")
    with pytest.raises(UnsupportedError, match="no array of ui4"):
        convert_module(b"a module", Progress())
