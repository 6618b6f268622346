"""What the producers share: which cases are chosen, what was done, and an artifact's folder."""
