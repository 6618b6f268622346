"""The Exported that the worker reads itself, without JAX.

Fields and their numbers are those of docs/reference/exported_format.md and
golden/exported/exported.fbs.
"""

import numpy as np
import pytest

from small_flatbuffer import Vector, write
from vintage_python.exported import Aval, DamagedError, read_exported
from vintage_python.worker.outcome import UnsupportedError
from vintage_python.worker.parts import parts_of

F32, KEY, FLOAT0 = 10, 27, 22


def aval(dtype, *sizes, token=False):
    return {0: ("b", 1 if token else 0), 1: list(sizes), 2: ("b", dtype)}


def exported(**fields):
    values = {
        0: ("H", 2), 1: "f", 3: [aval(F32, "3", "b")], 5: [aval(F32, "3")], 6: ("h", 1),
        9: ["cpu", "tpu"], 13: b"the module", 14: ("H", 9), 15: Vector("H", [0]),
    }  # fmt: skip
    numbers = {"inputs": 3, "outputs": 5, "devices": 18, "checks": 12, "kept": 15, "effects": 10,
               "derivative": 17, "values": 19, "input_indices": 22}  # fmt: skip
    return values | {numbers[name]: value for name, value in fields.items()}


def test_what_a_caller_needs_is_read():
    found = read_exported(write(exported(
        inputs=[aval(F32, "3", "b"), aval(KEY, "2"), aval(FLOAT0)],
        kept=Vector("H", [0, 2]),
        checks=[{0: ("b", 1), 1: "my_target"}, {0: ("b", 0)}],
        effects=[{0: "an effect"}],
        devices=("I", 1),
    )))  # fmt: skip
    assert found.module == b"the module"
    assert found.calling_convention == 9
    assert found.platforms == ("cpu", "tpu")
    # A key travels as its words, and float0 as predicates.
    assert found.inputs == (Aval("f32", (3, None)), Aval("ui32", (2, 2)), Aval("i1", ()))
    assert found.outputs == (Aval("f32", (3,)),)
    assert found.kept == (0, 2)
    assert found.kept_of("abc") == ["a", "c"]
    assert found.disabled_checks == ("custom_call:my_target", "platform")
    assert found.ordered_effects == 1
    assert found.derivative is None


def test_a_newer_form_names_its_values_by_index():
    found = read_exported(write(exported(
        inputs=[], values=[aval(F32, "1"), aval(F32, "2")], input_indices=Vector("I", [1, 0, 1])
    )))  # fmt: skip
    assert [each.shape for each in found.inputs] == [(2,), (1,), (2,)]


def test_the_number_of_devices_has_two_places():
    assert read_exported(write(exported())).devices == 1
    assert read_exported(write(exported(devices=("I", 8)))).devices == 8


def test_every_cut_is_an_error_and_no_crash():
    whole = write(exported(derivative=exported()))
    for length in range(len(whole)):
        try:
            read_exported(whole[:length])
        except DamagedError:
            continue
        except UnicodeDecodeError:
            pytest.fail(f"cut at {length}")


def test_what_names_something_that_is_not_there_is_damaged():
    with pytest.raises(DamagedError, match="an input is kept that is not there"):
        read_exported(write(exported(kept=Vector("H", [1]))))
    with pytest.raises(DamagedError, match="a value is named that is not there"):
        read_exported(write(exported(values=[], input_indices=Vector("I", [0]))))
    with pytest.raises(DamagedError, match="element type number 99"):
        read_exported(write(exported(inputs=[aval(99)])))


ARRAY = np.zeros(3, np.float32)


def test_the_derivative_runs_where_its_cotangents_came():
    data = write(exported(derivative=exported(inputs=[aval(F32, "3")] * 2)))
    assert len(parts_of(data, [ARRAY], "cpu")) == 1
    function, derivative = parts_of(data, [ARRAY, ARRAY], "cpu")
    assert (len(function.inputs), len(derivative.inputs)) == (1, 2)
    with pytest.raises(ValueError, match="3 inputs came, and the artifact takes 1"):
        parts_of(data, [ARRAY] * 3, "cpu")
    with pytest.raises(ValueError, match="holds no derivative"):
        parts_of(write(exported()), [ARRAY] * 2, "cpu")


def test_another_platform_and_several_devices_are_unsupported():
    with pytest.raises(UnsupportedError, match="is for cpu, tpu, not for cuda"):
        parts_of(write(exported()), [ARRAY], "cuda")
    with pytest.raises(UnsupportedError, match="is for 4 devices"):
        parts_of(write(exported(devices=("I", 4))), [ARRAY], "cpu")
