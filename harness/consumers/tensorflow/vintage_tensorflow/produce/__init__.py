"""Saves models with the TensorFlow of this interpreter."""
