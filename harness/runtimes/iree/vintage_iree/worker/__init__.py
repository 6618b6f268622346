"""Executes artifacts with IREE."""

from __future__ import annotations

import argparse
from collections.abc import Sequence
from typing import Any

from vintage_iree.release import IREE, compiler_program, runtime
from vintage_python.programs import worker_program
from vintage_python.standard_streams import StandardErrorKept


def main(arguments: Sequence[str]) -> int:
    return worker_program(IREE, _consumer, arguments)


def _consumer(_: StandardErrorKept, __: argparse.Namespace) -> Any:
    compiler_program()
    runtime()
    from vintage_iree.worker.consumer import IreeConsumer

    return IreeConsumer()
