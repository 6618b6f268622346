"""JAX releases as consumers and producers of archived array programs.

Four programs, each a module of its own: `environment` makes an environment for
a release, `describe` asks the release what it is, `worker` executes artifacts
with it, `produce` exports artifacts with it.
"""
