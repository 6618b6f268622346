"""IREE releases as consumers of archived array programs.

Three programs, each a module of its own: `environment` makes an environment
for a release, `describe` asks the release what it is, `worker` executes
artifacts with it.
"""
