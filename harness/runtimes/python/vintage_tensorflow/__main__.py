"""Starts one of the programs, with any interpreter: `python3 PATH/vintage_tensorflow worker …`."""

import sys
from pathlib import Path

# Replaces the folder itself, so that its modules are found only as vintage_tensorflow.….
sys.path[0] = str(Path(__file__).resolve().parents[1])

from vintage_python.programs import start_framework  # noqa: E402
from vintage_tensorflow.release import TENSORFLOW, TENSORFLOW_NIGHTLY  # noqa: E402

sys.exit(start_framework(TENSORFLOW, TENSORFLOW_NIGHTLY))
