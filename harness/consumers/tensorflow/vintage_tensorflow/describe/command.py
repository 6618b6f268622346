"""The command line of `describe`."""

from collections.abc import Sequence

from vintage_python.describing import describe_program
from vintage_tensorflow.describe.description import describe
from vintage_tensorflow.framework import TENSORFLOW


def main(arguments: Sequence[str]) -> int:
    return describe_program(TENSORFLOW, describe, arguments)
