"""A wearer of the virtual board: speaks into the loopback sound card of its kernel, where the service's
recorder listens, and hears what the service plays there.
"""

from __future__ import annotations

import base64
import io
import time
import wave
from collections.abc import Callable
from pathlib import Path
from tempfile import TemporaryDirectory

import numpy as np

from hw.device import MICROPHONE_RATE_HZ
from models.train.demo_assets import VOICES, speech
from models.train.sound.espeak import Espeak
from tests.virtual.attached import EARS, JOURNAL, MOUTH
from tests.virtual.machine import Machine, VirtualBoardError

_ONES = "one two three four five six seven eight nine".split()
_TEENS = "ten eleven twelve thirteen fourteen fifteen sixteen seventeen eighteen nineteen".split()
_TENS = "twenty thirty forty fifty sixty seventy eighty ninety".split()


TRIES = 4
WAKES_S, ANSWERS_S = 90.0, 300.0
"""Time limits for the wake word and for the answer; after either the wearer repeats it."""


def ask(machine: Machine, sentence: str) -> np.ndarray:
    """Says the wake word and a sentence, in a voice that no model was trained on, up to `TRIES` times; int16
    [n] at 16 kHz of what the headband plays until it has answered. Raises `VirtualBoardError` where it does
    not.
    """
    sound = io.BytesIO()
    with wave.open(sound, "wb") as file:
        file.setparams((1, 2, MICROPHONE_RATE_HZ, 0, "NONE", ""))
        file.writeframes(speech(Espeak(), sentence, VOICES[0], wake=True).tobytes())
    machine.call("base64 -d > /root/said.wav", send=base64.b64encode(sound.getvalue()).decode())
    machine.call("systemctl stop ears", check=False)  # left by an earlier wearer
    machine.call(f"systemd-run -q --collect --unit ears arecord -q -D {EARS} -f S16_LE "
                 f"-r {MICROPHONE_RATE_HZ} -c 1 /root/heard.wav")  # fmt: skip
    lacks = ""
    for _ in range(TRIES):
        lacks = _said(machine)
        if not lacks:
            break
    machine.call("systemctl stop ears")
    if lacks:
        raise VirtualBoardError(f"{sentence!r}, said {TRIES} times, {lacks}.")
    data = base64.b64decode(machine.call("base64 -w0 /root/heard.wav").stdout)
    with wave.open(io.BytesIO(data)) as file:
        return np.frombuffer(file.readframes(file.getnframes()), np.int16)


def _said(machine: Machine) -> str:
    """Says it once; returns what did not happen, as text, or "" when the headband has answered."""
    woken, answers = _count(machine, _WOKEN), _count(machine, _ANSWERED)
    machine.call(f"aplay -q -D {MOUTH} /root/said.wav")
    if not _soon(lambda: _count(machine, _WOKEN) > woken, WAKES_S):
        return f"does not wake it within {WAKES_S:g} s"
    if not _soon(lambda: _count(machine, _ANSWERED) > answers, ANSWERS_S):
        return f"has no answer there within {ANSWERS_S:g} s"
    return ""


def _soon(came: Callable[[], bool], timeout_s: float) -> bool:
    until_s = time.monotonic() + timeout_s
    while not came():
        if time.monotonic() > until_s:
            return False
        time.sleep(1.0)
    return True


_WOKEN, _ANSWERED = '"on": "woken"', '"from": "speaking"'
"""Journal lines that show a heard wake word, and a complete answer."""


def _count(machine: Machine, words: str) -> int:
    """The number of journal lines with these words."""
    return int(machine.call(f"grep -cs '{words}' {JOURNAL} || true").stdout or 0)


def spelled(percent: int) -> str:
    """1 to 99 in words."""
    if percent < 20:
        return [*_ONES, *_TEENS][percent - 1]
    tens, ones = divmod(percent, 10)
    return f"{_TENS[tens - 2]} {_ONES[ones - 1]}" if ones else _TENS[tens - 2]


def number(sound: np.ndarray) -> str:
    """The number from one to ninety nine that an independent recogniser hears before "percent", or ""."""
    from pocketsphinx import Decoder  # not with every Python

    spoken = "|".join(map(spelled, range(1, 100)))
    with TemporaryDirectory() as folder:
        grammar = Path(folder) / "percent.jsgf"
        grammar.write_text(
            "#JSGF V1.0;\ngrammar percent;\n"
            "public <all> = [i am] [charging] [and] [the] battery is at <number> percent [and charging];\n"
            f"<number> = {spoken};\n"
        )
        decoder = Decoder(jsgf=str(grammar), loglevel="FATAL", samprate=MICROPHONE_RATE_HZ)
    decoder.start_utt()
    decoder.process_raw(sound.tobytes(), full_utt=True)
    decoder.end_utt()
    best = decoder.hyp()
    text = best.hypstr if best else ""
    return text.partition(" is at ")[2].partition(" percent")[0].strip()
