"""`python3 -m vintage_jax.environment`."""

import sys

from vintage_jax.environment.command import main

if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
