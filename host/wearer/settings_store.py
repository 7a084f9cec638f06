"""The wearer's settings on the disk: written when they change, read at the start; and the time of the next
timer.

The session decides what the settings are; this keeps the last ones it was given.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

from host.answers.timers import Now, Timers
from host.config import AnswerConfig
from host.event_queue import EventQueue, Performs
from host.observe.journal import Journal
from host.session import actions, events
from host.session.values import WearerSettings
from host.to_its_end import to_its_end
from host.wearer.saved_settings import VoiceSettings, as_json, copy_damaged, read_saved_settings
from hw.device import Clock
from models.atomic_file import PRIVATE, write_whole
from models.caution import Caution

RETRY_S = 60.0
"""Pause after a write that failed."""
_Saved = tuple[Timers, VoiceSettings, bool, bool, Caution | None]


class SettingsStore:
    """Call `load` first, `poll` between two chunks of sound, and `save` last."""

    def __init__(
        self,
        queue: EventQueue,
        clock: Clock,
        journal: Journal,
        path: Path | None,
        config: AnswerConfig,
        boot: Callable[[], str],
    ) -> None:
        """`path`: the file of saved settings; None saves nothing. `boot` returns an id of this start of the
        computer.
        """
        self._queue, self._clock, self._journal = queue, clock, journal
        self._path, self._config, self._boot = path, config, boot
        self._settings = WearerSettings(volume_percent=config.volume_percent)
        self._saved: _Saved | None = _saved(self._settings)
        self._told: Timers | None = None
        self._lock = asyncio.Lock()
        self._retry_at_s = 0.0
        self.problem: str | None = None
        """Why settings cannot be saved, as a sentence; None when they can."""

    @property
    def performs(self) -> Performs:
        """Action -> method."""
        return {actions.WriteSettings: self._write, actions.TimersNoticed: self._noticed}

    async def load(self, defaults: WearerSettings) -> tuple[WearerSettings, str]:
        """The saved settings, and why some of them could not be used, as a sentence ("" when all could).
        `defaults`: the settings without a file.
        """
        self._settings = defaults
        self._saved = _saved(defaults)
        if self._path is None:
            return defaults, ""
        saved = await asyncio.to_thread(
            read_saved_settings, self._path, self._config, self._now(), self._boot()
        )
        voice = saved.voice or VoiceSettings(defaults.volume_percent, defaults.slowness)
        self._settings = replace(
            defaults,
            timers=saved.timers,
            volume_percent=voice.volume_percent,
            slowness=voice.slowness,
            recording=saved.recording,
            memory=saved.memory,
            caution=saved.caution,
        )
        self._saved = _saved(self._settings)
        if saved.problem:
            self._journal.write("kept", problem=saved.problem)
            self._saved = None  # so that the next `save` replaces the damaged file
            await asyncio.to_thread(copy_damaged, self._path)
        if saved.timers.running:
            self._journal.write("timers", kept=len(saved.timers.running))
        return self._settings, saved.problem or ""

    def poll(self) -> None:
        """Tells the session when a timer is due, and when one of the clocks was set. Writes again what could
        not be written.
        """
        timers, now = self._settings.timers, self._now()
        if self.problem is not None and now.mono_s >= self._retry_at_s:
            self._retry_at_s = now.mono_s + RETRY_S
            self._queue.spawn(self._save_again())
        if timers.adjusted(now) is not timers:
            self._queue.post(events.ClockSet())
        timers = self._settings.timers
        if timers is not self._told and timers.due(now):
            self._told = timers
            self._queue.post(events.TimerDue())

    @property
    def next_timer_s(self) -> float | None:
        """Monotonic time of the next announcement; None without timers."""
        return self._settings.timers.next_s

    async def save(self) -> None:
        """Writes the settings to the disk if they have changed; sets `problem` when that fails."""
        async with self._lock:
            await self._save()

    async def _save_again(self) -> None:
        await self.save()
        if self.problem is None:
            self._queue.post(events.SettingsWritten(0))

    def _write(self, action: actions.WriteSettings) -> None:
        async def write() -> None:
            await self.save()
            failed = self.problem is not None
            kept = self._path is not None and not failed
            off_lost = failed and not self._settings.recording and self._recording_on_disk
            self._queue.post(events.SettingsWritten(action.number, kept, failed, off_lost))

        self._settings = action.settings
        self._queue.spawn(write())

    @property
    def _recording_on_disk(self) -> bool:
        """Whether recording would be on after a restart; a damaged file counts as off."""
        return self._saved is not None and self._saved[2]

    def _noticed(self, action: actions.TimersNoticed) -> None:
        self._journal.write("timers", acknowledged=list(action.numbers))

    async def _save(self) -> None:
        settings = _saved(self._settings)
        if self._path is None:
            return
        if settings == self._saved:  # as before a write that failed
            self._note(None)
            return
        timers, voice, recording, memory, caution = settings
        now, boot = self._now(), self._boot()
        text = as_json(timers, voice, self._config, now, boot, recording, memory, caution)
        problem = None
        try:
            await to_its_end(asyncio.to_thread(write_whole, self._path, text, PRIVATE))
            self._saved = settings  # not before: the next `save` writes again what was cancelled or failed
        except OSError as error:
            problem = f"What the wearer sets cannot be kept: {error.strerror or error}."
            self._retry_at_s = now.mono_s + RETRY_S
        self._note(problem)

    def _note(self, problem: str | None) -> None:
        if problem != self.problem:
            self.problem = problem
            self._journal.write("kept", problem=problem)

    def _now(self) -> Now:
        return Now(self._clock.monotonic(), self._clock.time())


def _saved(settings: WearerSettings) -> _Saved:
    """The part of the settings that is saved."""
    timers = Timers(settings.timers.running, settings.timers.next_number)
    return (
        timers,
        VoiceSettings(settings.volume_percent, settings.slowness),
        settings.recording,
        settings.memory,
        settings.caution,
    )
