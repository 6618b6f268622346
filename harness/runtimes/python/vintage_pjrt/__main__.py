"""Starts one of the programs, with any interpreter: `python3 PATH/vintage_pjrt fetch …`."""

import sys
from pathlib import Path

# Replaces the folder itself, so that its modules are found only as vintage_pjrt.….
sys.path[0] = str(Path(__file__).resolve().parents[1])

from vintage_pjrt.fetch import main  # noqa: E402
from vintage_python.environment.disk import disk_program  # noqa: E402
from vintage_python.programs import start  # noqa: E402

sys.exit(start("vintage_pjrt", {"fetch": main, "disk": disk_program}))
