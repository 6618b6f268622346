"""Asks the TensorFlow of this interpreter what it is."""
