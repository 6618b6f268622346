"""The common part of the Python programs; each framework has a package for its own part.

`environment` makes an environment for a release that a package index holds, `describe` asks the
release what it is, `worker` executes artifacts with it in the worker protocol, and `produce` makes
artifacts with it. `exported` reads the flatbuffer that JAX exports.
"""
