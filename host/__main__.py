"""`python -m host` is the command `headband`."""

import _signal  # type: ignore[import-not-found]

# Built in: `signal` takes a few milliseconds, in which Ctrl-C would end in a traceback.
if _signal.getsignal(_signal.SIGINT) is _signal.default_int_handler:
    _signal.signal(_signal.SIGINT, _signal.SIG_DFL)  # before `program` nothing needs cleaning up

import sys
from typing import Any, cast

from host.terminal.early_stop import keep_sigterm

if "--service" in sys.argv:
    keep_sigterm()

# asyncio imports TLS if it can: one mebibyte that a headband without a network never uses.
cast("dict[str, Any]", sys.modules)["ssl"] = None
import asyncio  # noqa: E402, F401 - without TLS

del sys.modules["ssl"]

from host.cli.main import prepare  # noqa: E402
from host.terminal.program import program  # noqa: E402

if __name__ == "__main__":
    program(prepare)
