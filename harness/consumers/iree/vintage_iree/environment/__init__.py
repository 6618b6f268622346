"""Makes an environment for an IREE release."""
