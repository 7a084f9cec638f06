"""Festival's voices of diphones, where it and they are installed (Debian: festival, festvox-kdlpc16k and the
packages of the others): an American, and eight people of other countries, in whose mouths English has the
sounds of their own language, with the rhythm and the melody that the American gives it.
"""

from __future__ import annotations

import re
import subprocess
import tempfile
import wave
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from models.train.sound.recorded_voices.missing import Missing

_PROGRAM = "festival"
_HEAP_CELLS = 1_000_000
"""Usually ten times as many, which is half a gigabyte for each voice."""
_SHORTEST_S = 0.03
"""Of a sound."""
_USUAL = (
    "aa=a ae=e ah=a ao=o aw=a+u ax=e ay=a+i eh=e er=e+r axr=e+r ey=e+i ih=i iy=i ow=o+u oy=o+i uh=u uw=u w=v "
    "th=t dh=d hh=h hv=h y=j dx=d el=l en=n em=m nx=n pau=# h#=# brth=#"
)
"""American sounds, as Festival's KED has them, and those of other languages nearest to them."""
_CZECH = "aa=a: ao=o: ay=a+j ey=e+j oy=o+j iy=i: uw=u: th=s ng=n* ch=c~ jh=dz~ sh=s~ zh=z~"
_FINNISH = "aa=a: ao=o: ae=& er=7: axr=7 iy=i: uw=u: ng=N ch=t+S jh=d+S sh=S zh=S z=s"
_ITALIAN = "ae=E ao=O ax=a eh=E er=E+r axr=E+r w=w ng=ng ch=tS jh=dZ sh=S zh=S hh= hv="


@dataclass(frozen=True)
class _Voice:
    """name: Festival's; sounds: other than the usual ones, None for an American; pitch: factor of KED's."""

    name: str
    sounds: str | None = None
    pitch: float = 1.0


_VOICES = {
    "ked": _Voice("ked_diphone"),
    "dita": _Voice("czech_dita", _CZECH, 1.75), "krb": _Voice("czech_krb", _CZECH, 2.2),
    "machac": _Voice("czech_machac", _CZECH), "ph": _Voice("czech_ph", _CZECH),
    "lj": _Voice("suo_fi_lj_diphone", _FINNISH, 1.75), "mv": _Voice("hy_fi_mv_diphone", _FINNISH),
    "lp": _Voice("lp_diphone", _ITALIAN, 1.75), "pc": _Voice("pc_diphone", _ITALIAN),
}  # fmt: skip


class _Session:
    """A running Festival with one voice."""

    def __init__(self, voice: str) -> None:
        """Raises `Missing`."""
        try:
            self._program = subprocess.Popen(
                ["stdbuf", "-o0", _PROGRAM, "--heap", str(_HEAP_CELLS), "--pipe"], text=True, bufsize=1,
                stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL,
            )  # fmt: skip
        except OSError:
            raise Missing("Festival is not installed (Debian: apt install festival).") from None
        if voice not in self.ask(f"(if (member '{voice} (voice.list)) (voice_{voice}))"):
            self.close()
            raise Missing(f"Festival has no voice {voice} here.")

    def ask(self, command: str) -> str:
        """What it prints. Raises `Missing` if it ends."""
        assert self._program.stdin is not None and self._program.stdout is not None
        told: list[str] = []
        try:
            self._program.stdin.write(f'(format t "%l\\n" {command})\n(format t "done\\n")\n')
            self._program.stdin.flush()
            for line in self._program.stdout:
                if line.rstrip().endswith("done"):
                    return "".join(told)
                told.append(line)
        except OSError:
            pass
        raise Missing(f"{_PROGRAM} ended; is it installed with its voices?")

    def close(self) -> None:
        """Ends it."""
        self._program.kill()
        self._program.communicate()


class Festival:
    """Festival, one process for each voice that is asked for."""

    def __init__(self) -> None:
        """Raises `Missing`."""
        self._sessions: dict[str, _Session] = {}
        self._folder = tempfile.TemporaryDirectory()
        self._session("ked")

    def say(self, text: str, speaker: str, pace: float = 1.0, pitch: float = 1.0) -> tuple[np.ndarray, int]:
        """float32 [n] in [-1, 1] and its rate, Hz. pace, pitch: factors of the speaker's own. Raises
        `Missing`.
        """
        session, voice = self._session(speaker), _VOICES[speaker]
        sounds = _mapped(voice.sounds)
        said = " ".join(
            f"({each} {length_s:.3f} ({length_s / 2:.3f} {hz:.0f}))"
            for each, length_s, hz in self._sounds(text, sounds, pace, voice.pitch * pitch)
        )
        path = Path(self._folder.name) / "said.wav"
        path.unlink(missing_ok=True)
        saved = f'(utt.save.wave (utt.synth (Utterance Segments ({said}))) "{path}" \'riff)'
        session.ask(f"(begin {saved} (gc) nil)")  # unasked, it frees no sound before its heap is full
        if not path.exists():
            raise Missing(f"Festival cannot say {text!r}.")
        with wave.open(str(path)) as file:
            data, rate_hz = file.readframes(file.getnframes()), file.getframerate()
        return np.frombuffer(data, "<i2").astype(np.float32) / 32768.0, rate_hz

    def _sounds(
        self, text: str, mapped: Mapping[str, list[str]], pace: float, pitch: float
    ) -> list[tuple[str, float, float]]:
        """Name, length in seconds and pitch in Hz of each sound."""
        spoken = re.sub(r"[^\w' ]", " ", text)
        told = self._session("ked").ask(
            f'(begin (set! u (utt.synth (Utterance Text "{spoken}")))'
            ' (mapcar (lambda (x) (format t "S %s %f\\n" (item.name x) (item.feat x "end")))'
            " (utt.relation.items u 'Segment))"
            ' (mapcar (lambda (x) (format t "T %f %f\\n" (item.feat x "pos") (item.feat x "f0")))'
            " (utt.relation.leafs u 'Target)) (gc) nil)"
        )
        tones = [(float(at), float(hz)) for at, hz in re.findall(r"^T (\S+) (\S+)", told, re.M)]
        at_s, at_hz = zip(*tones, strict=True) if tones else ((0.0,), (110.0,))
        found, before_s = [], 0.0
        for name, end in re.findall(r"^S (\S+) (\S+)", told, re.M):
            parts = mapped.get(name, [name])
            length_s = (float(end) - before_s) / max(1, len(parts))
            for number, part in enumerate(parts):
                hz = float(np.interp(before_s + (number + 0.5) * length_s, at_s, at_hz))
                found.append((part, max(_SHORTEST_S, length_s / pace), hz * pitch))
            before_s = float(end)
        return found

    def _session(self, speaker: str) -> _Session:
        if speaker not in _VOICES:
            raise Missing(f"Festival has no voice {speaker} here.")
        if speaker not in self._sessions:
            self._sessions[speaker] = _Session(_VOICES[speaker].name)
        return self._sessions[speaker]


def _mapped(sounds: str | None) -> dict[str, list[str]]:
    """By American sound those in its place; empty for an American."""
    if sounds is None:
        return {}
    pairs = (each.partition("=") for each in f"{_USUAL} {sounds}".split())
    return {name: list(filter(None, other.split("+"))) for name, _, other in pairs}
