"""The command line of `worker`."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from vintage_python.standard_error import StandardErrorKept
from vintage_python.worker.program import worker_program
from vintage_tensorflow.framework import TENSORFLOW
from vintage_tensorflow.release import load_tensorflow


def main(arguments: Sequence[str]) -> int:
    return worker_program(TENSORFLOW, _consumer, arguments)


def _consumer(standard_error: StandardErrorKept) -> Any:
    load_tensorflow()
    from vintage_tensorflow.worker.consumer import TensorFlowConsumer

    return TensorFlowConsumer(standard_error)
