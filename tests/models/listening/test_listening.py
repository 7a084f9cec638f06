"""Wake word and voice activity on recorded and generated sound."""

from __future__ import annotations

import subprocess
import sys
import time
import wave
from pathlib import Path

import numpy as np
import pytest

import hw.device
import models.brick
from firmware.pmu import sound_adpcm
from hw.device import MICROPHONE_RATE_HZ
from models.listening.voice_activity import CHUNK_SAMPLES, CONTEXT_SAMPLES, VoiceActivity, weights_path
from models.listening.wake_word import WakeWord, wake_word_names

SPEECH = Path(__file__).parents[4] / "shared" / "testdata" / "speech"


def recording(name: str) -> np.ndarray:
    """int16 [n] at 16 kHz."""
    path = SPEECH / name
    if not path.exists():
        pytest.skip(f"{path} is not on this machine")
    with wave.open(str(path)) as file:
        assert file.getframerate() == MICROPHONE_RATE_HZ
        return np.frombuffer(file.readframes(file.getnframes()), np.int16)


def chunks(pcm: np.ndarray) -> list[np.ndarray]:
    return [pcm[at : at + CHUNK_SAMPLES] for at in range(0, len(pcm) - CHUNK_SAMPLES + 1, CHUNK_SAMPLES)]


def test_voice_activity_equals_the_network_under_onnx_runtime():
    ort = pytest.importorskip("onnxruntime")
    session = ort.InferenceSession(str(weights_path()), providers=["CPUExecutionProvider"])
    state, context = np.zeros((2, 1, 128), np.float32), np.zeros(CONTEXT_SAMPLES, np.float32)
    activity = VoiceActivity()
    random = np.random.default_rng(1)
    pcm = recording("jfk.wav")[: MICROPHONE_RATE_HZ * 6]
    pcm = np.concatenate([pcm, random.normal(0, 1500, 32_000).astype(np.int16), np.zeros(8_000, np.int16)])
    for chunk in chunks(pcm):
        window = np.concatenate([context, chunk.astype(np.float32) / 32768.0])
        context = window[-CONTEXT_SAMPLES:]
        feeds = {"input": window[None], "state": state, "sr": np.array(MICROPHONE_RATE_HZ, np.int64)}
        expected, state = session.run(None, feeds)
        assert activity.process(chunk) == pytest.approx(float(expected[0, 0]), abs=2e-4)


def test_speech_is_told_from_silence_and_noise():
    activity = VoiceActivity()
    spoken = [activity.process(chunk) for chunk in chunks(recording("jfk.wav"))]
    assert np.mean(np.array(spoken) > 0.5) > 0.5
    activity.reset()
    noise = np.random.default_rng(1).normal(0, 1000, MICROPHONE_RATE_HZ * 5).astype(np.int16)
    for quiet in (noise, np.zeros_like(noise)):
        assert max(activity.process(chunk) for chunk in chunks(quiet)[5:]) < 0.5


@pytest.mark.filterwarnings("error")
def test_a_clipped_voice_is_heard_without_a_warning():
    rectangle = np.where(np.sin(np.arange(MICROPHONE_RATE_HZ) / 7) > 0, 32_767, -32_768)
    hum = rectangle * (np.sin(np.arange(MICROPHONE_RATE_HZ) / 900) > 0)
    activity = VoiceActivity()
    assert all(0 <= activity.process(chunk) <= 1 for chunk in chunks(hum.astype(np.int16)))


def test_reset_forgets():
    activity, chunk = VoiceActivity(), np.random.default_rng(1).normal(0, 3000, 512).astype(np.int16)
    first = [activity.process(chunk) for _ in range(3)]
    activity.reset()
    assert [activity.process(chunk) for _ in range(3)] == first


def test_wrong_chunk_length_is_refused():
    with pytest.raises(ValueError, match=r"512"):
        VoiceActivity().process(np.zeros(160, np.int16))


def test_an_unknown_wake_word_is_one_sentence():
    assert "okay_nabu" in wake_word_names()
    with pytest.raises(ValueError, match=r"no wake word 'hello'; choose one of"):
        WakeWord("hello")


def test_speech_without_the_wake_word_does_not_wake():
    wake = WakeWord()
    assert not any(wake.process(chunk) for chunk in chunks(recording("jfk.wav")))


def test_one_utterance_is_one_wake(monkeypatch: pytest.MonkeyPatch):
    wake = WakeWord(refractory_s=1.0)
    sure = type("Sure", (), {"process_streaming_prob": lambda self, f: 1.0, "probability_cutoff": 0.5})
    monkeypatch.setattr(wake, "_model", sure())
    heard = [wake.process(np.zeros(1600, np.int16)) for _ in range(21)]
    assert [at for at, woke in enumerate(heard) if woke] == [0, 10, 20]


def test_both_together_cost_little():
    activity, wake = VoiceActivity(), WakeWord()
    pcm = chunks(np.random.default_rng(1).normal(0, 3000, MICROPHONE_RATE_HZ * 5).astype(np.int16))
    start_s = time.process_time()
    for chunk in pcm:
        activity.process(chunk)
        wake.process(chunk)
    assert (time.process_time() - start_s) / 5.0 < 0.1


def test_listening_needs_no_native_runtime_and_little_memory():
    code = (
        "import asyncio, sys\n"
        "from models.process.bricks import Bricks\n"
        "from models.listening.voice_activity import VoiceActivity\n"
        "from models.listening.wake_word import WakeWord\n"
        "from models.process.rss import rss_mib\n"
        "import numpy as np, os\n"
        "a, w = VoiceActivity(), WakeWord()\n"
        "for _ in range(50): a.process(np.zeros(512, np.int16)), w.process(np.zeros(512, np.int16))\n"
        "assert not {'onnxruntime', 'llama_cpp', '_pywhispercpp', 'piper', 'torch'} & set(sys.modules)\n"
        "print(rss_mib(os.getpid()))"
    )
    root = Path(__file__).parents[3]
    answer = subprocess.run(
        [sys.executable, "-c", code], cwd=root, capture_output=True, text=True, check=True
    )
    assert float(answer.stdout) < 52.0


def test_microphone_models_and_firmware_have_one_sample_rate():
    assert hw.device.MICROPHONE_RATE_HZ == models.brick.MICROPHONE_RATE_HZ == sound_adpcm.RATE_HZ
