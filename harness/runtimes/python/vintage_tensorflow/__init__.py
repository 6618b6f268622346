"""TensorFlow releases as consumers of archived array programs, and as producers of models."""
