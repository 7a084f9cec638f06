"""Prints what a headband does for a person at a terminal, as it happens; and a turn as JSON."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterable
from typing import Any

from host.app.turn_report import energy_mwh, of_reflex, timings_ms
from host.turn.reflex_answer import as_fields
from host.turn.turn import Turn
from models.process.residency import BrickEvent

SCRIPT_OVER = "the script is over"
"""Cause of a stop at the end of a script, which is not printed."""


_GESTURES = {1: "pressed", 2: "pressed twice", 3: "held for two seconds", 4: "held for ten seconds"}
"""Detail of the microcontroller's button event -> words."""


class Narrator:
    """An observer of the headband that prints events."""

    def __init__(self, quiet: bool = False) -> None:
        begin_s = time.monotonic()
        self.now_s: Callable[[], float] = lambda: time.monotonic() - begin_s
        """Returns the time printed before each line, seconds."""
        self.quiet = quiet
        self.turns: list[Turn] = []

    def heading(self, text: str) -> None:
        """Prints a heading."""
        if not self.quiet:
            print(f"\n== {text} ==", flush=True)

    def observe(self, event: str, fields: dict[str, Any]) -> None:
        """Prints one event; collects turns."""
        if event == "turn":
            self.turns.append(fields["turn"])
        if self.quiet:
            return
        for line in _lines(event, fields):
            print(f"{self.now_s():7.2f} s  {line}", flush=True)


def _lines(event: str, fields: dict[str, Any]) -> list[str]:
    match event:
        case "listening":
            return [f"ready       listening {fields['after_s']:.2f} s after launch"]
        case "woken":
            return [f"woken       {fields['cause']} ({fields['mode']})"]
        case "heard":
            return [f"thinking    {fields['seconds']} s of speech heard"]
        case "plan":
            return [f"power       {fields['mode']}: {fields['reason']}"]
        case "heard_again":
            return [f'heard again {fields["hearings"]} times in all, first as "{fields["first"]}"']
        case "understood":
            meant = f', meaning "{fields["meant"]}",' if fields["meant"] else ""
            return [f'understood  "{fields["transcript"]}"{meant} -> {fields["route"]}']
        case "battery":
            return [f"battery     {fields['problem'] or 'readable again'}"]
        case "device":
            return [f"{fields['device']:12}{fields['problem'] or 'works again'}"]
        case "asleep":
            return ["asleep      the microcontroller listens"]
        case "awake":
            return [f"awake       after {fields['slept_s']:.1f} s of sleep"]
        case "rail":
            return [
                "on          it has power again, and boots" if fields["on"] else "off         it has no power"
            ]
        case "recording_off":
            return ["deaf        recording is off"]
        case "pmu" if fields["kind"] == "button":
            return [f"button      {_GESTURES.get(fields['detail'], 'pressed')}"]
        case "pmu" if fields["kind"] == "restart":
            return ["battery     the microcontroller started anew"]
        case "reflex":
            return [f"reflex      {of_reflex(fields)}"]
        case "speaking":
            return [f'speaking    "{fields["sentence"]}"']
        case "turn":
            turn: Turn = fields["turn"]
            if turn.failure:
                return [f"failure     {turn.failure}"]
            if turn.response_s is None:
                return ["silent      nothing to say"]
            silence_ms = turn.endpoint_silence_s * 1000
            return [
                f"answered    {turn.response_s * 1000:.0f} ms after you stopped speaking, "
                f"{silence_ms:.0f} ms of it to be sure that you had"
            ]
        case "transition" if fields["to"] == "stopping" and fields["cause"] != SCRIPT_OVER:
            return [f"stopped     {fields['cause']}"]
        case "brick" if fields["event"].kind == "died":
            return [f"died        {fields['event'].brick}: {fields['event'].detail}"]
        case "brick" if fields["event"].kind == "moved":
            return [f"moved       {fields['event'].brick} to the cores: {fields['event'].detail}"]
    return []


def turn_json(turn: Turn, brick_events: Iterable[BrickEvent]) -> dict[str, Any]:
    """One turn of a day as a JSON object; `brick_events`: those of the whole day."""
    end_s = turn.ended_s or turn.started_s
    events = [e for e in brick_events if e.end_s > turn.started_s and e.start_s < end_s]
    return {
        "transcript": turn.transcript,
        "route": turn.decision.route,
        "answer": turn.answer,
        "answered_by": turn.answered_by,
        "reflex": None if turn.closed is None else as_fields(turn.closed),
        "mode": turn.plan.mode.value,
        "mode_reason": turn.plan.reason,
        "failure": turn.failure,
        "timings_ms": timings_ms(turn, events),
        "energy_mwh": energy_mwh(turn),
    }
