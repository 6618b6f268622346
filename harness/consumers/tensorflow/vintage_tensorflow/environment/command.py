"""The command line of `environment`."""

from collections.abc import Sequence

from vintage_python.environment.command import environment_program
from vintage_tensorflow.framework import TENSORFLOW


def main(arguments: Sequence[str]) -> int:
    return environment_program(TENSORFLOW, arguments)
