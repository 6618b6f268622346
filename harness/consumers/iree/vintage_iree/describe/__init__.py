"""Asks the IREE of this interpreter what it is."""
