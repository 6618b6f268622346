"""`python3 -m vintage_jax.worker`."""

import sys

from vintage_jax.worker.command import main

if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
