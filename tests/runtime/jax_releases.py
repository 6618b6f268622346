"""Real releases of JAX for the tests, made once and kept.

They are kept under VINTAGE_JAX_ROOT, or in the build folder. Tests that need one are skipped
where the package index cannot be read and none is kept.
"""

import sys
from datetime import date
from pathlib import Path

import pytest

REPOSITORY = Path(__file__).resolve().parents[2]
PACKAGE = REPOSITORY / "harness/consumers/jax"
sys.path.insert(0, str(PACKAGE))

from vintage_jax.framework import JAX
from vintage_python.environment.compose import Request, make_environment
from vintage_python.environment.interpreters import find_interpreters
from vintage_python.environment.package_index import releases_on_index
from vintage_python.environment.selection import select
from vintage_python.environment.versions import Window
from vintage_python.failure import Failure


def index_of_releases():
    """What the package index offers, and the interpreters here."""
    interpreters = find_interpreters()
    try:
        return releases_on_index(JAX, interpreters), interpreters
    except Failure as failure:
        pytest.skip(f"no network: {failure}")


def environment_of_release(wanted, index, root):
    releases, interpreters = index
    selection = select([wanted], releases, interpreters, Window(date(2026, 1, 1), 0, 0))
    if not selection.chosen:
        pytest.skip("; ".join(why for _, why in selection.failed))
    record = make_environment(
        selection.chosen[0], interpreters, Request(root, None, {}, "")
    )
    return Path(record["path"])
