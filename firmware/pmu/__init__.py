"""Battery gauge and register map of the PMU. Everything but `board` is free of hardware."""

__version__ = "1"

try:
    from . import build  # type: ignore[attr-defined]  # written by `headband firmware deploy`

    COMMIT = build.COMMIT
except ImportError:
    COMMIT = ""  # the twin on the host
