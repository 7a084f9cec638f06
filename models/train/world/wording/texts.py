"""Sentences by family."""

from __future__ import annotations

from collections.abc import Mapping

Texts = Mapping[str, tuple[str, ...]]
"""Family, or "family, aspect" -> sentences with slots."""
