"""Executes artifacts with the JAX of this interpreter, in the worker protocol."""
