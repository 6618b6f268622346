"""JAX releases as consumers and producers of archived array programs.

Four programs, each a module of its own: `environment` makes an environment for
a release, `describe` asks the release what it is, `worker` executes artifacts
with it, `produce` exports artifacts with it.
"""

import sys
from pathlib import Path

# What the consumers share lies beside this package where it is installed, and in a
# folder of its own in the source tree.
_SHARED = Path(__file__).resolve().parents[2] / "python"
if (_SHARED / "vintage_python").is_dir() and str(_SHARED) not in sys.path:
    sys.path.append(str(_SHARED))
