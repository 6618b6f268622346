"""Prints the platform on which JAX computes."""

import jax

print(jax.numpy.ones(3).devices().pop().platform)
