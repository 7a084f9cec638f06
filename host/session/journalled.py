"""What the journal keeps of a step."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from host.session.actions import Action
from host.session.events import Event


def step_fields(event: Event, actions: Sequence[Action]) -> dict[str, Any]:
    """Placeholder until the JSON form is merged."""
    return {"in": type(event).__name__, "out": [type(action).__name__ for action in actions]}
