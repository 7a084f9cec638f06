"""The type of an observer."""

from collections.abc import Callable
from typing import Any

Observer = Callable[[str, dict[str, Any]], None]
"""Called with the name and the fields of each event when it happens."""
