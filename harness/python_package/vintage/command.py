"""The command `vintage` of an environment: becomes the program."""

import os
import sys
from typing import NoReturn

from vintage.program import VintageError, program


def main() -> NoReturn:
    try:
        path = program()
    except VintageError as error:
        print(f"vintage: {error}", file=sys.stderr)
        sys.exit(error.status)
    os.execv(path, ["vintage", *sys.argv[1:]])


if __name__ == "__main__":
    main()
