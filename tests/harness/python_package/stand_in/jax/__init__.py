"""What the pytest plugin needs of JAX where nothing is exported, so that no JAX is needed here."""

from jax import export

__all__ = ["export"]
__version__ = "0.0.0"
