"""What the Python programs of all frameworks share; each framework's own package says what differs.

`environment` makes an environment for a release that a package index holds, `describe` asks the
release what it is, `worker` executes artifacts with it in the worker protocol, and `produce` makes
artifacts with it. `exported` reads the flatbuffer that JAX exports.
"""
