"""`python -m host` is the command `headband`."""

import sys

from host.cli import main

if __name__ == "__main__":
    sys.exit(main())
