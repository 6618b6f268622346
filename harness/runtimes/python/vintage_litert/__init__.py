"""LiteRT releases as consumers of archived array programs."""
