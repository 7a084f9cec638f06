"""What is said where healing is not possible."""

from __future__ import annotations


class CannotHeal(Exception):
    """The message is one sentence for a person."""
