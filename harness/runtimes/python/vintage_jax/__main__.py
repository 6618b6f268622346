"""Starts one of the programs, with any interpreter: `python3 PATH/vintage_jax worker …`."""

import sys
from pathlib import Path

# In place of the folder itself: its modules are to be found as vintage_jax.… only.
sys.path[0] = str(Path(__file__).resolve().parents[1])

from vintage_jax.release import JAX  # noqa: E402
from vintage_python.programs import start_framework  # noqa: E402

sys.exit(start_framework(JAX))
