"""Adds the stages of a turn to the timeline: speech, silence, thinking, speaking."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from host.observe.timeline import Span, Timeline
from host.states import INTERACTION
from host.turn.turn import Turn

WEARER, HEADBAND = "microphone", "headband"
"""Tracks: what the wearer said; the state of the interaction."""
_MARK_S = 0.032
_CALLS = {
    "the wake word was heard": "wake word",
    "the wake word was heard over the answer": "wake word",
    "the button was pressed": "button",
}


class Stages:
    """An observer of the headband that adds spans to the timeline as they end."""

    def __init__(self, timeline: Timeline) -> None:
        self._timeline = timeline
        self._stage, self._since_s = "standby", timeline.clock()

    def observe(self, event: str, fields: Mapping[str, Any]) -> None:
        """Handles one event; call it in the event loop at once."""
        now_s = self._timeline.clock()
        match event:
            case "transition" if fields["region"] == INTERACTION and fields["to"]:
                self._enter("thinking" if fields["on"] == "answer" else fields["to"], now_s)
            case "speaking":
                self._enter("speaking", now_s)
            case "woken" if fields["cause"] in _CALLS:
                self._timeline.add(Span(WEARER, _CALLS[fields["cause"]], now_s - _MARK_S, now_s))
            case "turn":
                self._add_question(fields["turn"])

    def _enter(self, stage: str, now_s: float) -> None:
        """Begins a stage. An answer whose sound has not begun counts as "thinking"."""
        if stage != self._stage:
            self._timeline.add(Span(HEADBAND, self._stage, self._since_s, now_s))
            self._stage, self._since_s = stage, now_s

    def _add_question(self, turn: Turn) -> None:
        """Adds the question and the silence after it; the microphone's time at the endpoint is the start of
        the turn.
        """
        heard = turn.heard
        if not len(heard.pcm):
            return
        ahead_s = turn.started_s - heard.endpoint_s
        for name, start_s, end_s in (
            ("speech", heard.speech_start_s, heard.speech_end_s),
            ("silence", heard.speech_end_s, heard.endpoint_s),
        ):
            self._timeline.add(Span(WEARER, name, start_s + ahead_s, end_s + ahead_s))
