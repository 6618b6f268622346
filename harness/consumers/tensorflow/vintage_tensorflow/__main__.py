"""Starts one of the programs: `python3 PATH/vintage_tensorflow worker …`.

The folder needs not to be on the interpreter's path, so that any interpreter,
a release's environment included, starts the programs from where they lie.
"""

import importlib
import os
import sys

PROGRAMS = ("environment", "describe", "worker", "produce")


def main() -> int:
    here = os.path.dirname(os.path.abspath(__file__))
    # The folder itself comes first on the path when it is started by its path;
    # its modules are to be found as vintage_tensorflow.… only.
    sys.path[:] = [place for place in sys.path if os.path.abspath(place or ".") != here]
    sys.path.insert(0, os.path.dirname(here))
    if len(sys.argv) < 2 or sys.argv[1] not in PROGRAMS:
        print(f"usage: vintage_tensorflow {{{','.join(PROGRAMS)}}} …", file=sys.stderr)
        return 2
    program = importlib.import_module(f"vintage_tensorflow.{sys.argv[1]}.command")
    status: int = program.main(sys.argv[2:])
    return status


if __name__ == "__main__":
    sys.exit(main())
