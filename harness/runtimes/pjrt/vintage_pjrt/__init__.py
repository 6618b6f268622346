"""PJRT plugins as the package index offers them.

One program: `fetch` unpacks the wheel of a plugin and says where its library lies.
"""

import sys
from pathlib import Path

# What the consumers share lies beside this package where it is installed, and in a
# folder of its own in the source tree.
_SHARED = Path(__file__).resolve().parents[2] / "python"
if (_SHARED / "vintage_python").is_dir() and str(_SHARED) not in sys.path:
    sys.path.append(str(_SHARED))
