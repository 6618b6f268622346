"""`python3 -m vintage_jax.produce`."""

import sys

from vintage_jax.produce.command import main

if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
