"""Exports artifacts with the JAX of this interpreter."""
