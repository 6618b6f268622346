"""What the Python programs of all consumers share.

`environment` makes environments for releases that a package index holds,
`worker` speaks the worker protocol, `exported` reads the flatbuffer that JAX
exports; each consumer's own package says what differs.
"""
