"""Reads the flatbuffer that JAX's export writes (docs/exported_format.md), without JAX."""
