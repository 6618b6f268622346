"""Executes artifacts with TensorFlow."""
