"""JAX releases as consumers and producers of archived array programs."""
