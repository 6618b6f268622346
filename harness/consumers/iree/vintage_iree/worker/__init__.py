"""Executes artifacts with IREE."""
