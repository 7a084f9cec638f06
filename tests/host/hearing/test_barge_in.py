"""Barge-in without devices: the canceller, the stream's clock, the rules, and the transcripts."""

from __future__ import annotations

from itertools import pairwise

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from host.config import BargeConfig
from host.hearing.barge_in import BargeIn
from host.hearing.echo_canceller import BLOCK, EchoCanceller
from host.hearing.own_voice_removed import EchoFreeChunk, OwnVoiceRemover, StreamClock
from host.speaking.playback_position import PlaybackPosition
from host.speaking.tones import earcon
from hw.audio.loopback import Loopback
from hw.device import MICROPHONE_RATE_HZ
from hw.emulated.room import Room

STEP_S = BLOCK / MICROPHONE_RATE_HZ


def babble(seconds: float, seed: int) -> np.ndarray:
    """Noise modulated like syllables, float [n], n a multiple of 512."""
    rng = np.random.default_rng(seed)
    n = round(seconds * MICROPHONE_RATE_HZ) // BLOCK * BLOCK
    syllables = np.repeat(rng.random(n // 2048 + 1) ** 2, 2048)[:n]
    return np.convolve(rng.standard_normal(n), [0.5, 0.8, 0.5], "same") * syllables * 0.1


def power_db(sound: np.ndarray) -> float:
    return float(10 * np.log10(np.mean(sound**2) + 1e-12))


def test_the_own_voice_goes_and_the_wearers_stays() -> None:
    played, wearer = babble(16, 1), babble(16, 2) * 10 ** (-5 / 20)
    wearer[: 12 * MICROPHONE_RATE_HZ] = 0.0
    echo = np.convolve(played, Room().response)[: len(played)]
    canceller = EchoCanceller()
    left = np.concatenate(
        [canceller.process((echo + wearer)[i : i + BLOCK], played[i : i + BLOCK])[0]
         for i in range(0, len(played), BLOCK)]
    )  # fmt: skip
    alone, both = (
        slice(8 * MICROPHONE_RATE_HZ, 12 * MICROPHONE_RATE_HZ),
        slice(12 * MICROPHONE_RATE_HZ, 16 * MICROPHONE_RATE_HZ),
    )
    assert power_db(echo[alone]) - power_db(left[alone]) > 20
    assert power_db(wearer[both]) - power_db((left - wearer)[both]) > 10


def test_faint_first_samples_teach_no_absurd_path() -> None:
    canceller = EchoCanceller()
    played = babble(6, 3)
    played[: 4 * BLOCK] *= 1e-5
    echo = np.convolve(played, Room().response)[: len(played)] + 1e-4 * babble(6, 4)
    for i in range(0, len(played), BLOCK):
        left, _ = canceller.process(echo[i : i + BLOCK], played[i : i + BLOCK])
        assert power_db(left) < power_db(echo[i : i + BLOCK]) + 10 or power_db(left) < -70


def test_while_the_speaker_is_silent_every_chunk_passes_unchanged() -> None:
    for remover in (OwnVoiceRemover(None), OwnVoiceRemover(Loopback())):
        for number in range(20):
            pcm = np.full(BLOCK, number * 100, np.int16)
            chunk = remover.hear(pcm, (number + 1) * STEP_S)
            assert np.array_equal(chunk.pcm, pcm) and not chunk.playing


def test_the_ear_tells_the_wearer_from_the_echo() -> None:
    loopback, room = Loopback(), Room()
    loopback.add(0.0, np.round(babble(14, 1) * 32767).astype(np.int16), MICROPHONE_RATE_HZ)
    remover, near = OwnVoiceRemover(loopback), []
    wearer = babble(14, 2) * 10 ** (-5 / 20)
    wearer[: 10 * MICROPHONE_RATE_HZ] = 0.0
    for number in range(round(14 / STEP_S) - 1):
        heard = room.echo(loopback, number * STEP_S, BLOCK) + wearer[number * BLOCK : (number + 1) * BLOCK]
        chunk = remover.hear(np.round(heard * 32767).astype(np.int16), (number + 1) * STEP_S)
        near.append(chunk.near and chunk.sure)
    before, after = near[round(6 / STEP_S) : round(10 / STEP_S)], near[round(10 / STEP_S) :]
    assert np.mean(before) < 0.1 and np.mean(after) > 0.4


def test_a_sound_card_that_starts_now_sooner_now_later_is_followed() -> None:
    loopback, truth, room, rng = Loopback(), Loopback(), Room(delay_s=0.02), np.random.default_rng(5)
    for number in range(8):
        pcm = np.round(babble(2.0, number) * 32767).astype(np.int16)
        loopback.add(number * 2.2, pcm, MICROPHONE_RATE_HZ)
        truth.add(number * 2.2 + rng.uniform(-0.005, 0.005), pcm, MICROPHONE_RATE_HZ)
    remover, taken_db = OwnVoiceRemover(loopback), []
    for number in range(round(8 * 2.2 / STEP_S)):
        heard = np.round(room.echo(truth, number * STEP_S, BLOCK) * 32767)
        chunk = remover.hear(heard.astype(np.int16), (number + 1) * STEP_S)
        if chunk.playing and chunk.sure:
            taken_db.append(power_db(heard) - power_db(chunk.pcm.astype(float)))
    assert len(taken_db) > 250 and np.median(taken_db) > 12


def heard_over(gain_db: float | None, begins_s: float) -> tuple[list[EchoFreeChunk], np.ndarray]:
    """The output of an unadapted canceller for its own voice, with another voice from 3 s on; and the
    microphone's sound.
    """
    loopback, seconds = Loopback(), 3.0
    loopback.add(0.0, np.round(babble(seconds, 1) * 32767).astype(np.int16), MICROPHONE_RATE_HZ)
    wearer = babble(seconds, 2) * 10 ** (-5 / 20)
    wearer[: round(begins_s * MICROPHONE_RATE_HZ)] = 0.0
    heard = wearer + np.random.default_rng(3).standard_normal(len(wearer)) * 1e-4
    remover, chunks_out, sound = OwnVoiceRemover(loopback), [], []
    for number in range(len(heard) // BLOCK):
        chunk = heard[number * BLOCK : (number + 1) * BLOCK]
        if gain_db is not None:
            chunk = chunk + Room(gain_db=gain_db).echo(loopback, number * STEP_S, BLOCK)
        sound.append(np.round(chunk * 32767).astype(np.int16))
        chunks_out.append(remover.hear(sound[-1], (number + 1) * STEP_S))
    return chunks_out, np.concatenate(sound)


@pytest.mark.parametrize("gain_db", [None, -60.0, -40.0, -20.0, 0.0])
def test_the_wearer_is_told_from_the_own_voice_in_the_first_answer_however_loud_its_echo(
    gain_db: float | None,
) -> None:
    chunks_out, _ = heard_over(gain_db, 1.5)
    near = [chunk_out.near and chunk_out.sure for chunk_out in chunks_out]
    alone, both = slice(round(0.7 / STEP_S), round(1.5 / STEP_S)), slice(round(1.5 / STEP_S), None)
    assert np.mean(near[alone]) < 0.1 and np.mean(near[both]) > 0.4


def test_tones_before_a_first_answer_do_not_pass_for_its_echo() -> None:
    tones = earcon("timer")[::2].astype(np.int16)  # an octave higher at half the rate
    loopback, room = Loopback(), Room(gain_db=0.0)
    loopback.add(0.0, tones, MICROPHONE_RATE_HZ)
    loopback.add(
        len(tones) / MICROPHONE_RATE_HZ, np.round(babble(3, 1) * 32767).astype(np.int16), MICROPHONE_RATE_HZ
    )
    remover, taken_db, near = OwnVoiceRemover(loopback), [], []
    for number in range(round(3 / STEP_S)):
        heard = np.round(room.echo(loopback, number * STEP_S, BLOCK) * 32767)
        chunk_out = remover.hear(heard.astype(np.int16), (number + 1) * STEP_S)
        taken_db.append(power_db(heard) - power_db(chunk_out.pcm.astype(float)))
        near.append(chunk_out.near and chunk_out.sure)
    assert np.mean(near) < 0.1 and np.median(taken_db[round(1.5 / STEP_S) :]) > 12


def test_where_there_is_no_echo_the_own_voice_is_not_added_to_what_is_heard() -> None:
    chunks_out, heard = heard_over(None, 3.0)
    left = np.concatenate([chunk_out.pcm for chunk_out in chunks_out]).astype(float)
    assert power_db(left) < power_db(heard.astype(float)) + 1


def test_a_loud_echo_is_known_within_the_first_second() -> None:
    chunks_out, heard = heard_over(0.0, 3.0)
    left = np.concatenate([chunk_out.pcm for chunk_out in chunks_out]).astype(float)
    later = slice(MICROPHONE_RATE_HZ, 3 * MICROPHONE_RATE_HZ)
    assert power_db(heard[later].astype(float)) - power_db(left[later]) > 12


@given(st.lists(st.floats(0.0, 0.019), min_size=3, max_size=60))
def test_the_streams_clock_is_even_however_late_chunks_come(late_s: list[float]) -> None:
    clock = StreamClock()
    clock.began_s(STEP_S)  # one chunk in time fixes the clock
    began = [clock.began_s((n + 2) * STEP_S + late) for n, late in enumerate(late_s)]
    assert began == pytest.approx([(n + 1) * STEP_S for n in range(len(late_s))])
    assert all(b > a for a, b in pairwise(began))


@given(
    st.lists(st.tuples(st.floats(0.1, 1.0), st.floats(0.0, 0.5)), min_size=1, max_size=5),
    st.floats(0.0, 8.0),
)
def test_what_a_loopback_gives_back_is_what_was_played_until_the_cut(
    sounds: list[tuple[float, float]], cut_s: float
) -> None:
    loopback, at_s, spans = Loopback(), 0.0, []
    for sound_s, gap_s in sounds:
        samples = round(sound_s * MICROPHONE_RATE_HZ)
        loopback.add(at_s, np.full(samples, 8192, np.int16), MICROPHONE_RATE_HZ)
        spans.append((at_s, at_s + samples / MICROPHONE_RATE_HZ))
        at_s += samples / MICROPHONE_RATE_HZ + gap_s
    loopback.cut(cut_s)
    length_s = sum(max(0.0, min(end, cut_s) - begin) for begin, end in spans)
    assert loopback.played_s(1000.0) == pytest.approx(length_s, abs=len(spans) / MICROPHONE_RATE_HZ)
    played = loopback.read(0.0, round((at_s + 1) * MICROPHONE_RATE_HZ))
    assert np.count_nonzero(played) / MICROPHONE_RATE_HZ == pytest.approx(
        length_s, abs=2 * len(spans) / MICROPHONE_RATE_HZ
    )
    assert not loopback.read(cut_s + 1 / MICROPHONE_RATE_HZ, MICROPHONE_RATE_HZ).any()


@given(
    st.lists(st.tuples(st.lists(st.sampled_from(["red", "circle", "is"]), min_size=1), st.floats(0.1, 5.0)))
)
def test_what_was_heard_is_a_beginning_that_grows(sentences: list[tuple[list[str], float]]) -> None:
    spoken = PlaybackPosition(lambda: 0.0)
    for words, sound_s in sentences:
        spoken.begin(" ".join(words), 0.0).add(sound_s)
    total_s = sum(sound_s for _, sound_s in sentences)
    whole = " ".join(" ".join(words) for words, _ in sentences)
    heard = [spoken.after(total_s * share / 10) for share in range(11)]
    assert heard[0] == "" and spoken.after(total_s + 0.01) == whole
    assert all(after.startswith(before) for before, after in pairwise([*heard, whole]))


class Graded:
    """A wake-word detector with given probabilities."""

    probability = 0.0

    def process(self, pcm: np.ndarray) -> bool:
        return False

    def reset(self) -> None:
        self.probability = 0.0


class Loud:
    """A speech detector for which all sound is speech."""

    def process(self, pcm: np.ndarray) -> float:
        return float(pcm.any())

    def reset(self) -> None:
        pass


def chunks(barge: BargeIn, count: int, *, speech: bool, near: bool = True, sure: bool = True) -> int:
    """Feeds that number of chunks; returns the number of transcriptions that were requested."""
    asked = 0
    for _ in range(count):
        barge.feed(EchoFreeChunk(np.full(BLOCK, int(speech), np.int16), playing=True, near=near, sure=sure))
        asked += barge.next_burst() is not None
    return asked


def test_the_wake_word_needs_somebody_near() -> None:
    for near, sure, probability, woken in (
        (True, True, 0.4, True),
        (False, True, 0.9, False),
        (True, False, 0.5, False),
        (True, False, 0.9, True),
    ):
        barge = BargeIn(wake := Graded(), Graded(), Loud(), BargeConfig())
        chunks(barge, 10, speech=True, near=near, sure=sure)
        wake.probability = probability
        assert barge.feed(EchoFreeChunk(np.zeros(BLOCK, np.int16), True, near, sure)) is woken


def test_a_wake_word_that_the_headband_says_itself_does_not_count() -> None:
    for own_probability, woken in ((0.0, True), (0.2, True), (0.4, False)):
        wake, own_wake = Graded(), Graded()
        barge = BargeIn(wake, own_wake, Loud(), BargeConfig())
        chunks(barge, 10, speech=True)
        wake.probability, own_wake.probability = 0.6, own_probability
        own = np.ones(BLOCK, np.int16)
        assert barge.feed(EchoFreeChunk(np.ones(BLOCK, np.int16), playing=True, own=own)) is woken


def test_a_burst_comes_with_what_the_headband_said_meanwhile_where_that_may_be_heard() -> None:
    for own in (None, np.full(BLOCK, 7, np.int16)):
        barge = BargeIn(Graded(), Graded(), Loud(), BargeConfig())
        chunks(barge, 10, speech=False)
        for _ in range(8):
            barge.feed(EchoFreeChunk(np.ones(BLOCK, np.int16), playing=True, own=own))
        burst = barge.next_burst()
        assert burst is not None and (burst.own is None) == (own is None)
        assert burst.own is None or (len(burst.own) == len(burst.pcm) and burst.own[-1] == 7)


def test_before_it_speaks_the_wake_word_counts_as_in_standby() -> None:
    barge = BargeIn(wake := Graded(), Graded(), Loud(), BargeConfig())
    wake.probability = 0.5
    assert not any(barge.feed(EchoFreeChunk(np.ones(BLOCK, np.int16))) for _ in range(10))
    assert barge.feed(EchoFreeChunk(np.ones(BLOCK, np.int16), playing=True))


def test_only_near_speech_of_a_stop_words_length_is_read() -> None:
    def asked(before: int, length: int, **how: bool) -> int:
        barge = BargeIn(Graded(), Graded(), Loud(), BargeConfig())
        chunks(barge, before, speech=False)
        return chunks(barge, length, speech=True, **how) + chunks(barge, 5, speech=False)

    assert asked(10, 12) > 2
    assert asked(10, 2) == 0
    assert asked(10, 12, near=False) == 0
    assert asked(10, 12, sure=False) == 0
    assert asked(10, 200) <= 32


def burst_of(barge: BargeIn, length: int = 12):
    chunks(barge, 10, speech=False)
    for _ in range(length):
        barge.feed(EchoFreeChunk(np.ones(BLOCK, np.int16), playing=True))
    burst = barge.next_burst()
    assert burst is not None and not burst.whole
    return burst


def test_one_sure_reading_or_two_that_agree_are_a_stop() -> None:
    barge = BargeIn(Graded(), Graded(), Loud(), BargeConfig())
    burst = burst_of(barge)
    assert not barge.judge_transcript(burst, True, 0.6) and barge.judge_transcript(burst, True, 0.6)
    burst = burst_of(barge)
    assert not barge.judge_transcript(burst, True, 0.6), "a reading of the burst before does not count"
    assert not barge.judge_transcript(burst, False, 0.6) and not barge.judge_transcript(burst, True, 0.6)
    assert barge.judge_transcript(burst_of(barge), True, 0.9)


def test_speech_that_was_read_as_something_else_is_only_read_when_it_is_over() -> None:
    barge = BargeIn(Graded(), Graded(), Loud(), BargeConfig())
    burst = burst_of(barge)
    for _ in range(2):
        assert not barge.judge_transcript(burst, False, 0.5)
    assert chunks(barge, 5, speech=True) == 0
    assert chunks(barge, 5, speech=False) == 1
