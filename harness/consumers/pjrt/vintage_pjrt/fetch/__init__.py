"""Fetches the wheel of a plugin."""
