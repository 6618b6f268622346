"""Makes environments for the releases of a framework."""
