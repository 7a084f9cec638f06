"""Battery gauge and register map of the PMU. Everything but `board` is free of hardware."""

__version__ = "1"
