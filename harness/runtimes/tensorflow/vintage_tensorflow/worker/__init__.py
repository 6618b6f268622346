"""Executes artifacts with TensorFlow."""

from __future__ import annotations

import argparse
from collections.abc import Sequence
from typing import Any

from vintage_python.programs import worker_program
from vintage_python.standard_streams import StandardErrorKept
from vintage_tensorflow.release import TENSORFLOW, load_tensorflow


def main(arguments: Sequence[str]) -> int:
    own = argparse.ArgumentParser(add_help=False)
    own.add_argument(
        "--force-version", type=int, metavar="N",
        help="a diagnostic: call every Exported as if it were of calling convention N, whatever it "
             "says, to see whether the number alone keeps it out")  # fmt: skip
    return worker_program(TENSORFLOW, _consumer, arguments, [own])


def _consumer(standard_error: StandardErrorKept, options: argparse.Namespace) -> Any:
    load_tensorflow()
    from vintage_tensorflow.worker.consumer import TensorFlowConsumer

    return TensorFlowConsumer(standard_error, options.force_version)
