"""Prints the custom-call targets that this JAX registers for CPUs, one a line."""

from vintage_jax.describe.targets import registered_targets

for target in registered_targets()[0]:
    if target["platform"] == "cpu":
        print(target["name"])
