"""Starts one of the programs, with any interpreter: `python3 PATH/vintage_litert worker …`."""

import sys
from pathlib import Path

# Replaces the folder itself, so that its modules are found only as vintage_litert.….
sys.path[0] = str(Path(__file__).resolve().parents[1])

from vintage_litert.release import LITERT  # noqa: E402
from vintage_python.programs import start_framework  # noqa: E402

sys.exit(start_framework(LITERT))
