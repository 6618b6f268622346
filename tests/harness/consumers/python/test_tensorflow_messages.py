"""What the worker says of TensorFlow's errors, without TensorFlow."""

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
