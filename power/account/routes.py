"""The routes of a question, which say what answers it; `host.language.router` describes each."""

from __future__ import annotations

from typing import Literal, get_args

AnsweredRoute = Literal["device", "memory", "frames", "now", "open"]
Route = Literal[AnsweredRoute, "unclear"]
"""With the questions in which no word was understood, which nothing answers."""
ANSWERED_ROUTES: tuple[str, ...] = get_args(AnsweredRoute)
ROUTES: tuple[str, ...] = get_args(Route)
