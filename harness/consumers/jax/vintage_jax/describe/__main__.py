"""`python3 -m vintage_jax.describe`."""

import sys

from vintage_jax.describe.command import main

if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
