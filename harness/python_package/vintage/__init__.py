"""Keeps exported JAX programs, and says on which releases they still run.

>>> import vintage
>>> vintage.save(jax.jit(model), x, archive="models")
>>> vintage.check("models").raise_for_failures()
"""

from vintage.check import Pair, Report, check, register_installed
from vintage.model import Model, Saved, load, save
from vintage.program import VintageError, run

__all__ = [
    "Model",
    "Pair",
    "Report",
    "Saved",
    "VintageError",
    "check",
    "load",
    "register_installed",
    "run",
    "save",
]
