"""Numbers for JSON, which has no NaN and no infinite ones."""

from __future__ import annotations

import math
from typing import Any


def finite(value: Any) -> Any:
    """The value with None for every number that JSON lacks; tuples become lists."""
    if isinstance(value, float):
        return value if math.isfinite(value) else None
    if isinstance(value, dict):
        return {key: finite(each) for key, each in value.items()}
    return [finite(each) for each in value] if isinstance(value, list | tuple) else value
