"""Makes an environment for a TensorFlow release."""
