""" "Stop" and the wake word during a first answer, faster than real time: the voice and the recogniser of the
pack in modelled rooms, with echoes from none to one as loud as the wearer.
"""

from __future__ import annotations

from collections.abc import Sequence

import pytest

from host.hearing.own_voice_removed import OwnVoiceRemover
from hw.device import MICROPHONE_RATE_HZ
from models.pack.catalogue import load_pack
from models.train.sound.espeak import Espeak
from tests.eval.barge.gains import Place, places
from tests.eval.barge.listener import Listener, make_listener
from tests.eval.barge.sound import CHUNK, TRAPS, OwnVoice, Sound, level

BELOW_DB = -5.0


@pytest.fixture(scope="module")
def listener() -> Listener:
    made = make_listener(load_pack("micro"))
    made.reading_s = 0.03
    return made


@pytest.fixture(scope="module")
def answers() -> list[Sound]:
    voice = OwnVoice(load_pack("micro"), seed=5)
    return [voice.answer(4.0) for _ in range(4)]


def heard(listener: Listener, place: Place, answer: Sound, word: Sound | None = None) -> list[str]:
    """The interruptions of a first answer; the word is said 1.5 s after its start."""
    sound = place.sounds(answer)
    if word is not None:
        at = 3 * MICROPHONE_RATE_HZ // 2
        sound.heard[at : at + len(word)] += word / level(word) * level(sound.played) * 10 ** (BELOW_DB / 20)
    return [
        what
        for _, what in listener.listen(OwnVoiceRemover(sound.loopback), sound, 0, len(sound.heard) // CHUNK)
    ]


@pytest.mark.parametrize("gain", ["none", "-40", "0"])
def test_stop_and_the_wake_word_silence_a_first_answer_at_every_loudness_of_its_echo(
    gain: str, listener: Listener, answers: Sequence[Sound]
) -> None:
    espeak, (first, second) = Espeak(), _two(gain)
    stop, wake = espeak.say("stop", "en-us+Storm", 180), espeak.say("okay nabu", "en-us", 180)
    assert "stop" in heard(listener, first, answers[0], stop)
    assert "wake" in heard(listener, second, answers[1], wake)
    assert not heard(listener, first, answers[2]) and not heard(listener, second, answers[3])


@pytest.mark.parametrize("gain", ["-10", "0"])
def test_a_first_answer_that_says_stop_does_not_silence_itself(gain: str, listener: Listener) -> None:
    voice = OwnVoice(load_pack("micro"), seed=6)
    for text, place in zip(TRAPS, _two(gain) * 2, strict=True):
        assert not heard(listener, place, voice.say(text)), text


def _two(gain: str) -> list[Place]:
    there = places(gain, seed=7)
    return [next(there), next(there)]
