"""The command line of `worker`."""

from __future__ import annotations

import argparse
from collections.abc import Sequence
from typing import Any

from vintage_iree.framework import IREE
from vintage_iree.release import compiler_program, runtime
from vintage_python.standard_error import StandardErrorKept
from vintage_python.worker.program import worker_program


def main(arguments: Sequence[str]) -> int:
    return worker_program(IREE, _consumer, arguments)


def _consumer(_: StandardErrorKept, __: argparse.Namespace) -> Any:
    compiler_program()
    runtime()
    from vintage_iree.worker.consumer import IreeConsumer

    return IreeConsumer()
