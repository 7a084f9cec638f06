"""A speaker that writes a WAV file, and is heard when the computer has a sound card."""

from __future__ import annotations

import wave
from pathlib import Path

from hw.device import Clock, Pcm
from hw.paced_speaker import PacedSpeaker
from hw.player import Player, find_player


class WavSpeaker(PacedSpeaker):
    """Appends everything played to one WAV file at the sample rate of its first chunk (mono, 16 bit)."""

    def __init__(
        self,
        clock: Clock,
        path: str | Path | None = None,
        *,
        real_time: bool = True,
        sound_card: bool = True,
    ) -> None:
        """`path` None keeps no file; `sound_card` False stays silent even where there is one."""
        super().__init__(clock, real_time=real_time)
        self._path = None if path is None else Path(path)
        self._file: wave.Wave_write | None = None
        self._player_program = find_player() if sound_card and real_time else None
        self._player: Player | None = None
        self._closed = False

    @property
    def path(self) -> Path | None:
        """The WAV file, None when none is kept. It exists from the first sound on and is complete after each
        `play`.
        """
        return self._path

    @property
    def audible(self) -> bool:
        """Is there a sound card that plays along?"""
        return self._player_program is not None

    async def close(self) -> None:
        """Stop, and finish the file."""
        await super().close()
        if self._file is not None:
            self._file.close()
        self._closed = True

    def _deliver(self, pcm: Pcm, rate_hz: int) -> None:
        self._write(pcm, rate_hz)
        if self._player_program is not None and not self._sound(self._player_program, pcm, rate_hz):
            self._player_program = None  # the card went away; the file still has everything

    def _sound(self, program: str, pcm: Pcm, rate_hz: int) -> bool:
        if self._player is None or self._player.rate_hz != rate_hz:
            self._end(cut=False)
            try:
                self._player = Player(program, rate_hz)
            except OSError:
                return False
        return self._player.write(pcm)

    def _write(self, pcm: Pcm, rate_hz: int) -> None:
        if self._path is None or self._closed:
            return
        if self._file is None:
            self._path.parent.mkdir(parents=True, exist_ok=True)
            self._file = wave.open(str(self._path), "wb")  # noqa: SIM115 - stays open until close()
            self._file.setparams((1, 2, rate_hz, 0, "NONE", "not compressed"))
        if rate_hz != self._file.getframerate():
            import soxr  # only sounds of two rates in one file need it

            pcm = soxr.resample(pcm, rate_hz, self._file.getframerate())
        self._file.writeframes(pcm.astype("<i2").tobytes())

    def _end(self, cut: bool) -> None:
        if self._player is not None:
            self._player.end(cut)
            self._player = None
