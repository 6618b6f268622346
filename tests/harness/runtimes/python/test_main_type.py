"""The type of main, from the text of a module without an Exported around it."""

import pytest

from vintage_python.exported import Aval
from vintage_python.worker.outcome import UnsupportedError
from vintage_tensorflow.worker.consumer import main_type


@pytest.mark.parametrize(
    ("signature", "arguments", "results"),
    [
        ("() {", [], []),
        ("(%arg0: tensor<f32>) -> tensor<i1> {", [Aval("f32", ())], [Aval("i1", ())]),
        (
            "(%arg0: tensor<3x?xcomplex<f32>>, %arg1: tensor<0xui4>) -> (tensor<2xf8E4M3FN>, "
            "tensor<bf16>) {",
            [Aval("complex<f32>", (3, None)), Aval("ui4", (0,))],
            [Aval("f8E4M3FN", (2,)), Aval("bf16", ())],
        ),
        (
            "(%arg0: !stablehlo.token {jax.token = true}, %arg1: tensor<4xi32> {mhlo.sharding = "
            '"{devices=[2]<=[2]}", tf.type = tensor<9xf64>}) -> (tensor<4xi32> '
            '{jax.result_info = "result[tensor<7xf32>]"}) attributes {a = 1 : i32} {',
            [Aval("token", (), token=True), Aval("i32", (4,))],
            [Aval("i32", (4,))],
        ),
        (
            "(%arg0: tensor<?x4xf32, #stablehlo.bounds<3, ?>>) -> tensor<f32> {",
            [Aval("f32", (None, 4))],
            [Aval("f32", ())],
        ),
    ],
)
def test_types_are_read(signature, arguments, results):
    text = (
        "module @m {\n  func.func private @main_2(%a: tensor<1xi8>) -> tensor<1xi8> {\n  }\n"
        f"  func.func public @main{signature}\n    return\n  }}\n}}\n"
    )
    assert main_type(text) == (arguments, results)


def test_what_has_no_form_is_said():
    with pytest.raises(ValueError, match="no function main"):
        main_type("module { }")
    with pytest.raises(UnsupportedError, match="a tuple"):
        main_type("func.func @main(%a: tuple<tensor<f32>>) -> tensor<f32> {\n")
