"""How sure an answer must be before it is said: a level that the wearer chooses."""

from __future__ import annotations

from typing import Literal

Caution = Literal["low", "normal", "high"]
