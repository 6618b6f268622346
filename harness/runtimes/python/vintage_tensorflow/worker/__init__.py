"""Executes artifacts with TensorFlow."""

from __future__ import annotations

import argparse
from typing import Any

from vintage_python.programs import Options
from vintage_python.standard_streams import StandardErrorKept
from vintage_tensorflow.release import load_tensorflow


def add_options(parser: argparse.ArgumentParser) -> None:
    parser.add_argument(
        "--force-version", type=int, metavar="N",
        help="a diagnostic: call every Exported as if it were of calling convention N, whatever it "
             "says, to see whether the number alone keeps it out")  # fmt: skip


def load(options: Options) -> Any:
    standard_error = StandardErrorKept()
    load_tensorflow()
    from vintage_tensorflow.worker.consumer import TensorFlowConsumer

    return TensorFlowConsumer(standard_error, options.force_version)
