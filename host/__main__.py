"""`python -m host` is the command `headband`."""

import signal
import sys
from typing import Any, cast

if signal.getsignal(signal.SIGINT) is signal.default_int_handler:
    signal.signal(signal.SIGINT, signal.SIG_DFL)  # nothing is there to be given back before `program`

# asyncio takes TLS along when it can, a mebibyte that a headband without a network never uses.
cast("dict[str, Any]", sys.modules)["ssl"] = None
import asyncio  # noqa: E402, F401 - while TLS can't be found

del sys.modules["ssl"]

from host.cli import prepared  # noqa: E402
from host.program import program  # noqa: E402

if __name__ == "__main__":
    program(prepared)
