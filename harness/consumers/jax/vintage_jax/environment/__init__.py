"""Makes an environment for a JAX release."""
