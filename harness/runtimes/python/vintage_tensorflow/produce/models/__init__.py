"""The models that a release saves: small ones, of what real ones are made of."""
