"""Failures that end a program with one clear message."""

import sys
from collections.abc import Callable

EXIT_HOLDS = 0
EXIT_USAGE = 2
EXIT_CANNOT_TELL = 3
EXIT_NOTHING_RAN = 4


class Failure(Exception):
    """A message for a person: what was found, what would be accepted, what to do."""

    status = EXIT_CANNOT_TELL


class UsageFailure(Failure):
    """The call is wrong."""

    status = EXIT_USAGE


def run_program(name: str, body: Callable[[], int]) -> int:
    """Runs `body`; a Failure becomes a line on standard error and an exit status."""
    try:
        return body()
    except Failure as failure:
        print(f"{name}: {failure}", file=sys.stderr)
        return failure.status
    except KeyboardInterrupt:
        print(f"{name}: interrupted; the same command goes on from here", file=sys.stderr)
        return 130
