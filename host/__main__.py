"""`python -m host` is the command `headband`."""

import sys
from typing import Any, cast

# asyncio takes TLS along when it can, a mebibyte that a headband without a network never uses.
cast("dict[str, Any]", sys.modules)["ssl"] = None
import asyncio  # noqa: E402, F401 - while TLS can't be found

del sys.modules["ssl"]

from host.cli import main  # noqa: E402

if __name__ == "__main__":
    sys.exit(main())
