"""Executes artifacts with IREE."""

from typing import Any

from vintage_iree.release import compiler_program, runtime
from vintage_python.programs import Options


def load(_: Options) -> Any:
    compiler_program()
    runtime()
    from vintage_iree.worker.consumer import IreeConsumer

    return IreeConsumer()
