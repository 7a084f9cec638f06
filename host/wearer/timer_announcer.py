"""Timers of a running headband: saved on the disk, announced when due, acknowledged by the wearer.

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
"""Interaction states in which an announcement may begin."""
TONE = "timer"


class Announce(Protocol):
    """Speaks an announcement, after the earcon `tone` if one is named."""

    def __call__(self, sentence: str, tone: str = "") -> Awaitable[None]: ...


class TimerAnnouncer:
    """Announces the wearer's timers and saves the wearer's settings. Call `start` first, then `serve` between
    two chunks of sound.
    """

    def __init__(
        self, parts: Parts, journal: Journal, path: Path | None, boot: Callable[[], str], announce: Announce
    ) -> None:
        """`path`: the file of saved settings; None saves nothing. `boot` returns an id of this start of the
        computer.
        """
        self._parts = parts
        self._journal = journal
        self._path = path
        self._boot = boot
        self._announce = announce
        self._saved: tuple[Timers, VoiceSettings, bool] | None = self._settings()
        self._pending: str | None = None
        self._announcing = False
        self._silenced = False
        self.problem: str | None = None
        """Why settings cannot be saved, as a sentence; None when they can."""
        parts.save_settings = self.save

    async def start(self) -> None:
        """Loads the saved settings."""
        if self._path is None:
            return
        now, config = self._now(), self._parts.config.answer
        saved = await asyncio.to_thread(read_saved_settings, self._path, config, now, self._boot())
        voice = saved.voice or VoiceSettings(self._parts.device.volume_percent, self._parts.device.slowness)
        self._parts.device = replace(
            self._parts.device,
            timers=saved.timers,
            volume_percent=voice.volume_percent,
            slowness=voice.slowness,
            recording=saved.recording,
        )
        self._saved = self._settings()
        if saved.problem:
            self._journal.write("kept", problem=saved.problem)
            self._pending = saved.problem
            self._saved = None  # so that the next `save` replaces the damaged file
            await asyncio.to_thread(copy_damaged, self._path)
        if saved.timers.running:
            self._journal.write("timers", kept=len(saved.timers.running))

    async def serve(self) -> None:
        """Saves changed settings, and announces due timers when the interaction allows it."""
        now, parts = self._now(), self._parts
        adjusted = self._timers.adjusted(now)
        if adjusted is not self._timers:
            parts.device = replace(parts.device, timers=adjusted)
        await self.save()
        if parts.machine.interaction not in QUIET:
            return
        if self._pending is not None:
            sentence, self._pending = self._pending, None
            await self._announce(sentence)
            now = self._now()
        due = self._timers.due(now)
        if not due:
            return
        text = ended(due, now)
        parts.device = replace(
            parts.device, timers=self._timers.after_announcement(due, now), last_answer=text
        )
        self._announcing, self._silenced = True, False
        try:
            await self.save()
            self._journal.write("timers", announced=[timer.number for timer in due])
            if not self._silenced:
                await self._announce(text, TONE)
        finally:
            self._announcing = False

    def acknowledge(self) -> None:
        """Removes the announced timers, because the wearer reacted."""
        timers = self._timers.acknowledged(self._now())
        if timers is not self._timers:
            self._journal.write("timers", acknowledged=[timer.number for timer in timers.off])
            self._parts.device = replace(self._parts.device, timers=timers)

    def handle_press(self) -> bool:
        """Acknowledges after a press of the button. Returns True when the press silenced an announcement and
        so has no further effect.
        """
        if self._announcing:
            self._silenced = True
            self._parts.silence()
        self.acknowledge()
        return self._announcing

    @property
    def next_s(self) -> float | None:
        """Monotonic time of the next announcement; None without timers."""
        return self._timers.next_s

    def farewell(self) -> str:
        """The sentence about running timers before switching off; "" without timers."""
        return farewell(self._timers, self._now(), self._path is not None and self.problem is None)

    async def save(self) -> None:
        """Writes the settings to the disk if they have changed; sets `problem` when that fails."""
        settings = self._settings()
        if settings == self._saved or self._path is None:
            return
        self._saved = settings
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
        saved = Timers(device.timers.running, device.timers.next_number)
        return saved, VoiceSettings(device.volume_percent, device.slowness), device.recording

    def _now(self) -> Now:
        return Now(self._parts.clock.monotonic(), self._parts.clock.time())
