"""How late a computer that the wake word wakes hears it: the twin against the emulated microcontroller."""

from __future__ import annotations

import asyncio

import numpy as np
import pytest

from models.listening.wake_word import WakeWord
from models.train.sound.espeak import Espeak
from power.board_cost.board import load_boards
from power.board_cost.bricks import cost, load_bricks
from power.board_cost.validation import load_counted, load_published, validate
from power.twin.parameters import load_parameters
from tests.hw.pmu.sleeping_headband import headband, sleep_and_hear

PARAMETERS = load_parameters()
CHUNK = 512
RATE_HZ = 16_000


def listening_s() -> float:
    """What wake word detector and voice activity take of one core for a second of sound, counted."""
    sources, rows = load_published()
    boards, bricks, kept = load_boards(), load_bricks(), load_counted()
    found = validate(rows, sources, boards, kept)
    always = (bricks[name] for name in ("wake_word", "voice_activity"))
    return sum(cost(each, kept, boards["rk3566"], found, cores=1).ms for each in always) / 1000


@pytest.mark.parametrize("end", ["low", "value", "high"])
def test_the_wake_word_is_heard_as_late_as_the_twin_has_it(end: str) -> None:
    espeak = Espeak()
    words = [espeak.say("okay nabu", "en-us"), np.zeros(3000), espeak.say("what is in front of me", "en-us")]
    question = np.round(np.concatenate(words) * 10_000).astype(np.int16)
    room = np.round(np.random.default_rng(1).standard_normal(16 * RATE_HZ) * 40).astype(np.int16)
    resume_s = getattr(PARAMETERS.quantities["sleep.resume_s"], end)
    band = headband(room, resume_s=resume_s, delay_samples=0, gain=1.0)
    heard = asyncio.run(sleep_and_hear(band, 9.0, after_s=3.0, said=question))
    over = band.microphone.last_hand_over
    assert over is not None and over.bus_hz == pytest.approx(400_000, rel=0.15)
    wake = WakeWord("okay_nabu")
    called_at = next(at for at in range(0, heard.size, CHUNK) if wake.process(heard[at : at + CHUNK]))
    gone_through_s = (called_at + CHUNK) / RATE_HZ * listening_s()
    late_s = getattr(PARAMETERS.quantities["sleep.hand_over_s"], end)
    assert over.took_s + gone_through_s == pytest.approx(late_s, rel=0.1)
