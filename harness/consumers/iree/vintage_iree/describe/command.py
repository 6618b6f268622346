"""The command line of `describe`."""

from collections.abc import Sequence

from vintage_iree.describe.description import describe
from vintage_iree.framework import IREE
from vintage_python.describing import describe_program


def main(arguments: Sequence[str]) -> int:
    return describe_program(IREE, describe, arguments)
