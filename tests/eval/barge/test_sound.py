"""Whose wake word interrupts: voices that the model hears anyway, or any."""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any, cast

import pytest

from models.listening.wake_word import WakeWord
from models.train.sound.espeak import Espeak
from models.train.sound.espeak_voices import HELD_OUT_VOICES, TRAIN_VOICES
from tests.eval.barge import sound

DEAF = cast(WakeWord, SimpleNamespace(reset=lambda: None))


def test_voices_are_chosen_by_the_model_that_is_judged_or_not_at_all(monkeypatch: pytest.MonkeyPatch) -> None:
    espeak, tried = Espeak(), list[Any]()

    def never(wake: WakeWord, clip: Any) -> float:
        tried.append(clip)
        return 0.0

    monkeypatch.setattr(sound, "wakes", never)
    monkeypatch.setattr(sound, "TRAIN_VOICES", TRAIN_VOICES[:3])
    monkeypatch.setattr(sound, "HELD_OUT_VOICES", HELD_OUT_VOICES[:1])
    assert sound.wake_utterances(espeak, "alexa", DEAF, 6) == [] and len(tried) == 4
    tried.clear()
    found = sound.wake_utterances(espeak, "alexa", DEAF, 6, every_voice=True)
    assert [len(each) for each in found] == [2, 2, 2] and not tried
