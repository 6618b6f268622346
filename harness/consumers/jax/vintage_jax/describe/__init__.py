"""Asks the JAX of this interpreter what it is."""
