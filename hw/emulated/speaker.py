"""An emulated speaker: writes a WAV file, and plays aloud when the computer has a sound card."""

from __future__ import annotations

import contextlib
import io
import wave
from pathlib import Path
from typing import BinaryIO

from hw.audio.player_program import Player, find_player
from hw.audio.real_time_speaker import PacedSpeaker
from hw.device import Clock, Pcm
from hw.private_file import private


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
        """`path` None: no file. `sound_card` False: plays nothing aloud."""
        super().__init__(clock, real_time=real_time)
        self._path = None if path is None else Path(path)
        self._fault: str | None = None
        self._file: BinaryIO | None = None
        self._whole = io.BytesIO()
        self._sound_file: wave.Wave_write | None = None
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
    def fault(self) -> str | None:
        """Why the file could not be written, one sentence; the file is then removed, and playback continues.
        None while it can be written.
        """
        return self._fault

    @property
    def audible(self) -> bool:
        """Is sound also played aloud?"""
        return self._player_program is not None

    async def close(self) -> None:
        """Stop, and finish the file."""
        await super().close()
        self._closed = True
        if self._sound_file is not None and self._fault is None:
            try:
                self._finish()
            except OSError as error:
                self._give_up(error)

    def _deliver(self, pcm: Pcm, rate_hz: int) -> None:
        self._write(pcm, rate_hz)
        if self._player_program is not None and not self._sound(self._player_program, pcm, rate_hz):
            self._player_program = None  # the card was removed or is stuck; the file is still complete
            self._end(cut=True)

    def _sound(self, program: str, pcm: Pcm, rate_hz: int) -> bool:
        if self._player is None or self._player.rate_hz != rate_hz:
            self._end(cut=False)
            try:
                self._player = Player(program, rate_hz)
            except OSError:
                return False
        return self._player.write(pcm)

    def _write(self, pcm: Pcm, rate_hz: int) -> None:
        if self._path is None or self._closed or self._fault is not None:
            return
        try:
            if self._sound_file is None:
                self._sound_file = self._begun(self._path, rate_hz)
            if rate_hz != self._sound_file.getframerate():
                import soxr  # only sounds of two rates in one file need it

                pcm = soxr.resample(pcm, rate_hz, self._sound_file.getframerate())
            self._sound_file.writeframes(pcm.astype("<i2").tobytes())
            if self._file is not None:
                self._file.flush()
        except OSError as error:
            self._give_up(error)

    def _begun(self, path: Path, rate_hz: int) -> wave.Wave_write:
        path.parent.mkdir(parents=True, exist_ok=True)
        self._file = open(path, "wb", opener=private)  # noqa: SIM115 - stays open until close()
        # A WAV header holds the length: output that cannot seek gets the whole file at the end.
        place = self._file if self._file.seekable() else self._whole
        sound: wave.Wave_write = wave.open(place, "wb")  # noqa: SIM115 - stays open until close()
        sound.setparams((1, 2, rate_hz, 0, "NONE", "not compressed"))
        return sound

    def _finish(self) -> None:
        assert self._sound_file is not None and self._file is not None
        self._sound_file.close()
        if self._whole.tell():
            self._file.write(self._whole.getbuffer())
        self._file.close()

    def _give_up(self, error: OSError) -> None:
        """Continue without a file; remove what was written."""
        assert self._path is not None
        self._fault = f"{self._path} could not be written ({error.strerror or error})."
        for part in (self._sound_file, self._file):
            with contextlib.suppress(OSError):
                if part is not None:
                    part.close()
        with contextlib.suppress(OSError):
            if self._path.is_file():
                self._path.resolve().unlink()

    def _end(self, cut: bool) -> None:
        if self._player is not None:
            self._player.end(cut)
            self._player = None
