"""Starts one of the programs, with any interpreter: `python3 PATH/vintage_pjrt fetch …`."""

import sys
from pathlib import Path

# In place of the folder itself: its modules are to be found as vintage_pjrt.… only.
sys.path[0] = str(Path(__file__).resolve().parents[1])

from vintage_pjrt.fetch import main  # noqa: E402
from vintage_python.programs import start  # noqa: E402

sys.exit(start("vintage_pjrt", {"fetch": main}))
