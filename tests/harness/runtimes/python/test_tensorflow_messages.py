"""The worker's messages for TensorFlow's errors, without TensorFlow."""

from vintage_tensorflow.worker.consumer import TensorFlowConsumer, reason_first

IN_A_GRAPH = """Graph execution error:

Detected at node XlaCallModule defined at (most recent call last):
  File "worker.py", line 33, in main

XlaCallModuleOp with version 10 is not supported by this build. Must be <= 9
\t [[{{node XlaCallModule}}]] [Op:__inference_call_6]"""


class Kept:
    def __init__(self, text):
        self.text = text

    def take(self):
        return self.text


def test_the_reason_of_an_error_in_a_graph_comes_first():
    """Its first line was "Graph execution error:" and nothing more."""
    lines = reason_first(ValueError(IN_A_GRAPH)).splitlines()
    assert lines[0] == ("ValueError: XlaCallModuleOp with version 10 is not supported by this "
                        "build. Must be <= 9")  # fmt: skip
    assert 'File "worker.py", line 33, in main' in "\n".join(lines[1:])


def test_a_reason_on_standard_error_comes_into_the_first_line():
    """TensorFlow 2.18 says "Cannot deserialize computation" and no more."""
    written = 'XLA service\nloc("-":0:0): error: unknown attribute code: 22\nmore\n'
    consumer = TensorFlowConsumer(Kept(written))
    lines = consumer.detail(ValueError("Cannot deserialize computation")).splitlines()
    assert (
        lines[0] == "ValueError: Cannot deserialize computation: error: unknown attribute code: 22"
    )
    assert lines[1] == "standard error: XLA service"
    assert consumer.refined_stage("compile", lines[0]) == "upgrade"


def test_nothing_is_added_where_nothing_was_written():
    assert TensorFlowConsumer(Kept("")).detail(ValueError("no")) == "ValueError: no"


def test_what_xla_does_not_take_is_named_first():
    """The message began with the graph's name, which is another one in each process."""
    lines = reason_first(ValueError(
        "Detected unsupported operations when trying to compile graph __inference_call_219"
        "[_XlaMustCompile=true,config_proto=135] on XLA_CPU_JIT: LookupTableFindV2 (No registered "
        "'LookupTableFindV2' OpKernel for XLA_CPU_JIT devices compatible with node)"
    )).splitlines()  # fmt: skip
    assert lines[0] == "ValueError: XLA_CPU_JIT has no LookupTableFindV2"
    assert lines[1].startswith("Detected unsupported operations")


def test_the_place_of_an_operation_that_is_called_by_itself_is_left_out():
    problem = ValueError("{{function_node __wrapped__XlaCallModule_/CPU:0}} Cannot deserialize")
    assert reason_first(problem) == "ValueError: Cannot deserialize"
