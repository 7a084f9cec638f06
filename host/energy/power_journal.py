"""Journals what the headband spends power on, and sets the marker line that a power meter records.

The power rig reads these lines (`host.rig.journal_follower`); `power.rig.activity` describes each of them.
Plans and edges of the marker are always journalled. Pictures, runs of models and sentences occur several
times a second and are journalled only with `journal.work`.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from host.observe.journal import Journal
from host.observe.timeline import Timeline
from host.session.state import QUIET
from host.states import INTERACTION
from hw.board import Board
from hw.device import DeviceError


class PowerJournal:
    """An observer of the headband that journals events that concern power."""

    def __init__(self, journal: Journal, board: Board, timeline: Timeline, work: bool) -> None:
        """`work`: also journals pictures, runs of models and sentences."""
        self._journal = journal
        self._clock = board.clock
        self._marker = board.marker
        self._timeline = timeline
        self._work = work
        self._level = False

    def observe(self, event: str, fields: Mapping[str, Any]) -> None:
        """Handles one event; call it in the event loop at once."""
        match event:
            case "plan":
                kept = ("mode", "reason", "why", "frames_for")
                self._journal.write("plan", **{name: fields[name] for name in kept if fields.get(name)})
            case "transition" if fields["region"] == INTERACTION and fields["to"]:
                self._mark(fields["to"] not in (*QUIET, "stopping"))
            case "brick" if fields["event"].kind == "moved":
                moved = fields["event"]
                self._journal.write("moved", brick=moved.brick, to="cores", problem=moved.detail)
            case "brick" if self._work:
                brick = fields["event"]
                span = self._on_the_boards_clock(brick.start_s, brick.end_s)
                computed = {} if brick.processor_s is None else {"processor_s": round(brick.processor_s, 4)}
                self._journal.write("brick", brick=brick.brick, kind=brick.kind, **span, **computed)
            case "spoken" if self._work:
                span = self._on_the_boards_clock(fields["start_s"], fields["end_s"])
                self._journal.write("speaker", **span)
            case "frame" if self._work:
                self._journal.write("frame", start_s=round(fields["start_s"], 4), gate=fields["gate"])

    def _mark(self, level: bool) -> None:
        if self._marker is None or level == self._level:
            return
        try:
            self._marker.set(level)
        except DeviceError as error:
            self._journal.write("marker", problem=str(error))
            return
        self._level = level
        self._journal.write("marker", level=level)

    def _on_the_boards_clock(self, start_s: float, end_s: float) -> dict[str, float]:
        """Converts times of the timeline's clock, which stops while the computer sleeps, to the board's
        clock.
        """
        ahead_s = self._clock.monotonic() - self._timeline.clock()
        return {"start_s": round(start_s + ahead_s, 4), "end_s": round(end_s + ahead_s, 4)}
