"""The PMU's firmware: fuel gauge, guard, console, sound. Only `board` touches hardware."""

__version__ = "1"

try:
    from . import build  # type: ignore[attr-defined]  # written by `headband firmware deploy`

    COMMIT = build.COMMIT
except ImportError:
    COMMIT = ""  # when it runs on the host
