"""The part of JAX that the pytest plugin uses where no test exports: its tests need no JAX."""

from jax import export

__all__ = ["export"]
__version__ = "0.0.0"
