"""Executes artifacts with LiteRT."""

from typing import Any

from vintage_litert.release import converter_api, interpreter
from vintage_python.programs import Options


def load(_: Options) -> Any:
    converter_api()
    interpreter()
    from vintage_litert.worker.consumer import LiteRtConsumer

    return LiteRtConsumer()
