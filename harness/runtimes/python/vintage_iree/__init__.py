"""IREE releases as consumers of archived array programs."""
