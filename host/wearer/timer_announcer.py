"""Timers of a running headband: kept on disk, announced when due, silenced by whoever notices.

An announcement waits until nothing else is under way. It is counted on disk before it is begun, so that a
restart in the middle never makes one more of it.
"""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable
from dataclasses import replace
from pathlib import Path
from typing import Protocol

from host.answers.timer_replies import ended, farewell
from host.answers.timers import Now, Timers
from host.observe.journal import Journal
from host.session.parts import Parts
from host.wearer.saved_settings import VoiceSettings, as_json, copy_damaged, read_saved_settings
from models.atomic_file import write_whole

QUIET = ("standby", "follow_up")
"""States of the interaction in which nothing is under way."""
TONE = "timer"


class Announce(Protocol):
    """Says a sentence that answers no question, after a tone."""

    def __call__(self, sentence: str, tone: str = "") -> Awaitable[None]: ...


class TimerAnnouncer:
    """One headband's timers. `start` comes first; then the main loop calls `serve` between two chunks of
    sound.
    """

    def __init__(
        self, parts: Parts, journal: Journal, path: Path | None, boot: Callable[[], str], announce: Announce
    ) -> None:
        """`path` None keeps nothing. `boot` names this start of the computer."""
        self._parts = parts
        self._journal = journal
        self._path = path
        self._boot = boot
        self._announce = announce
        self._kept: tuple[Timers, VoiceSettings, bool] | None = self._settings()
        self._to_say: str | None = None
        self._ringing = False
        self._silenced = False
        self.problem: str | None = None
        """Why nothing can be kept; a sentence."""
        parts.save_settings = self.save

    async def start(self) -> None:
        """Take on what was kept."""
        if self._path is None:
            return
        now, config = self._now(), self._parts.config.answer
        kept = await asyncio.to_thread(read_saved_settings, self._path, config, now, self._boot())
        voice = kept.voice or VoiceSettings(self._parts.device.volume_percent, self._parts.device.slowness)
        self._parts.device = replace(
            self._parts.device,
            timers=kept.timers,
            volume_percent=voice.volume_percent,
            slowness=voice.slowness,
            recording=kept.recording,
        )
        self._kept = self._settings()
        if kept.problem:
            self._journal.write("kept", problem=kept.problem)
            self._to_say = kept.problem
            self._kept = None  # what could be used is written anew
            await asyncio.to_thread(copy_damaged, self._path)
        if kept.timers.running:
            self._journal.write("timers", kept=len(kept.timers.running))

    async def serve(self) -> None:
        """Announces what is due if nothing is under way; saves what has changed."""
        now, parts = self._now(), self._parts
        anchored = self._timers.anchored(now)
        if anchored is not self._timers:
            parts.device = replace(parts.device, timers=anchored)
        await self.save()
        if parts.machine.interaction not in QUIET:
            return
        if self._to_say is not None:
            sentence, self._to_say = self._to_say, None
            await self._announce(sentence)
            now = self._now()
        due = self._timers.due(now)
        if not due:
            return
        text = ended(due, now)
        parts.device = replace(
            parts.device, timers=self._timers.after_announcement(due, now), last_answer=text
        )
        self._ringing, self._silenced = True, False
        try:
            await self.save()
            self._journal.write("timers", announced=[timer.number for timer in due])
            if not self._silenced:
                await self._announce(text, TONE)
        finally:
            self._ringing = False

    def acknowledge(self) -> None:
        """The wearer turned to the headband: what has been announced is over."""
        timers = self._timers.acknowledged(self._now())
        if timers is not self._timers:
            self._journal.write("timers", acknowledged=[timer.number for timer in timers.off])
            self._parts.device = replace(self._parts.device, timers=timers)

    def pressed(self) -> bool:
        """The wearer pressed the button: acknowledges. True when the press silenced an announcement, which is
        then all it does.
        """
        if self._ringing:
            self._silenced = True
            self._parts.silence()
        self.acknowledge()
        return self._ringing

    @property
    def next_s(self) -> float | None:
        """Monotonic time of the next announcement; None when nothing is set."""
        return self._timers.next_s

    def farewell(self) -> str:
        """What to say about the timers before switching off; "" when nothing is set."""
        return farewell(self._timers, self._now(), self._path is not None and self.problem is None)

    async def save(self) -> None:
        """Returns when everything that is set now is on the disk, or why not is known."""
        settings = self._settings()
        if settings == self._kept or self._path is None:
            return
        self._kept = settings
        timers, voice, recording = settings
        text = as_json(timers, voice, self._parts.config.answer, self._now(), self._boot(), recording)
        try:
            await asyncio.to_thread(write_whole, self._path, text)
            self.problem = None
        except OSError as error:
            self.problem = f"What the wearer sets cannot be kept: {error.strerror or error}."
            self._journal.write("kept", problem=self.problem)

    @property
    def _timers(self) -> Timers:
        return self._parts.device.timers

    def _settings(self) -> tuple[Timers, VoiceSettings, bool]:
        device = self._parts.device
        kept = Timers(device.timers.running, device.timers.next_number)
        return kept, VoiceSettings(device.volume_percent, device.slowness), device.recording

    def _now(self) -> Now:
        return Now(self._parts.clock.monotonic(), self._parts.clock.time())
