"""The command line of `environment`."""

from collections.abc import Sequence

from vintage_iree.framework import IREE
from vintage_python.environment.command import environment_program


def main(arguments: Sequence[str]) -> int:
    return environment_program(IREE, arguments)
