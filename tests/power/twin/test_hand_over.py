"""How late a computer that the wake word wakes hears it: the twin against the emulated microcontroller."""

from __future__ import annotations

import numpy as np
import pytest

from models.train.sound.espeak import Espeak
from power.twin.parameters import load_parameters
from tests.hw.pmu.i2c_timing import FAST_MODE
from tests.hw.pmu.wake_word_late import how_late

PARAMETERS = load_parameters()


@pytest.mark.parametrize("end", ["low", "value", "high"])
def test_the_wake_word_is_heard_as_late_as_the_twin_has_it(end: str) -> None:
    espeak = Espeak()
    words = [espeak.say("okay nabu", "en-us"), np.zeros(3000), espeak.say("what is in front of me", "en-us")]
    question = np.round(np.concatenate(words) * 10_000).astype(np.int16)
    slow = FAST_MODE if end == "high" else None
    late = how_late(question, getattr(PARAMETERS.quantities["sleep.resume_s"], end), timing=slow)
    for over in (late.first, late.later):
        assert over.bus_hz == pytest.approx(400_000, rel=0.15 if slow is None else 0.35)
        assert (over.lost_samples, over.problem) == (0, None)
    told_s = getattr(PARAMETERS.quantities["sleep.hand_over_s"], end)
    assert late.later_s == pytest.approx(told_s, abs=0.045)  # the word may end a chunk or two later
    assert late.later_s <= late.first_s
    assert late.later_sound_s <= getattr(PARAMETERS.quantities["sleep.first_sound_s"], end)
