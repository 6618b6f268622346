"""Real releases of JAX for the tests, made once and kept.

They are kept under VINTAGE_JAX_ROOT, or in the build folder. Tests that need one are skipped
where the package index cannot be read and none is kept.
"""

import sys
from datetime import date
from pathlib import Path

import pytest

REPOSITORY = Path(__file__).resolve().parents[2]
PACKAGE = REPOSITORY / "harness/runtimes/python"
sys.path.insert(0, str(PACKAGE))

from vintage_jax.release import JAX
from vintage_python.environment.make import make_environment
from vintage_python.environment.releases import find_releases
from vintage_python.environment.selection import Window, select
from vintage_python.environment.uv import Uv, find_uv
from vintage_python.failure import Failure


def uv_program():
    """uv, as Vintage finds or fetches it."""
    try:
        return find_uv()
    except Failure as failure:
        pytest.skip(f"no uv: {failure}")


def index_of_releases():
    """The releases that the package index offers."""
    uv_program()
    try:
        return find_releases(JAX)
    except Failure as failure:
        pytest.skip(f"no network: {failure}")


def environment_of_release(wanted, index, root):
    uv = Uv(Path(root).resolve())
    selection = select([wanted], index, uv.interpreters(), Window(date(2026, 1, 1), 0, 0))
    if not selection.chosen:
        pytest.skip("; ".join(why for _, why in selection.failed))
    return Path(make_environment(selection.chosen[0], uv)["path"])
