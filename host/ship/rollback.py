"""`headband rollback` on the headband itself: the release before becomes the current one again. The command
there runs this as root, with the system's Python: standard library only.
"""

from __future__ import annotations

import io
import os
import sys
from pathlib import Path

from host.boot.records import OPT, linked
from host.ship.deploying import HEALTHY_S, SETTLED_S, rolled_back
from host.ship.onboard import carry_out


def main(prefix: str = "/") -> int:
    """Returns the exit status: 0 when the release before runs; else, with a sentence, 130 after Ctrl-C and 1
    otherwise. `prefix` stands for `/`.
    """
    os.umask(0o022)
    limits = {"prefix": prefix, "healthy_s": HEALTHY_S, "settled_s": SETTLED_S}
    try:
        answer = carry_out("rollback", limits, io.BytesIO())
    except KeyboardInterrupt:
        current = linked(Path(prefix) / OPT, "current")
        print(f"The rollback was interrupted: {current} is the current release.", file=sys.stderr)
        return 130
    if "refused" in answer:
        print(answer["refused"], file=sys.stderr)
        return 1
    print(rolled_back(answer))
    return 0


if __name__ == "__main__":
    sys.exit(main())
