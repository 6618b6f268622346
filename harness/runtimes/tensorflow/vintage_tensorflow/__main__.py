"""Starts one of the programs: `python3 PATH/vintage_tensorflow worker …`.

The folder needs not to be on the interpreter's path, so that any interpreter,
a release's environment included, starts the programs from where they lie.
"""

import os
import sys

# The folder itself comes first on the path when it is started by its path;
# its modules are to be found as vintage_tensorflow.… only.
HERE = os.path.dirname(os.path.abspath(__file__))
sys.path[:] = [place for place in sys.path if os.path.abspath(place or ".") != HERE]
sys.path.insert(0, os.path.dirname(HERE))

import vintage_tensorflow  # noqa: E402, F401  It finds what the consumers share.
from vintage_python.programs import start  # noqa: E402
from vintage_tensorflow.release import TENSORFLOW  # noqa: E402

if __name__ == "__main__":
    sys.exit(start("vintage_tensorflow", ("describe", "worker", "produce"), TENSORFLOW))
