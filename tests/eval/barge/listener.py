"""The parts of the headband that listen during an answer, faster than real time."""

from __future__ import annotations

import time
from dataclasses import dataclass, field

import numpy as np

from host.config import BargeConfig, WakeConfig
from host.hearing.barge_in import BargeIn
from host.hearing.own_voice_removed import OwnVoiceRemover
from host.language.router import Router
from hw.device import MICROPHONE_RATE_HZ
from models.listening.voice_activity import VoiceActivity
from models.listening.wake_word import WakeWord
from models.pack.catalogue import Pack
from models.train.recogniser.in_process import InProcessRecogniser
from tests.eval.barge.sound import CHUNK, RoomSound

CHUNK_S = CHUNK / MICROPHONE_RATE_HZ


@dataclass
class Listener:
    """The parts that listen during an answer. `hits`: (seconds, "wake" or "stop")."""

    barge: BargeIn
    recogniser: InProcessRecogniser
    router: Router
    readings_s: list[float] = field(default_factory=list)
    attenuated_db: list[float] = field(default_factory=list)
    cpu_s: float = 0.0
    reading_s: float | None = None
    """Duration of each transcription, seconds; None: as measured on this computer."""

    def listen(
        self, remover: OwnVoiceRemover, sound: RoomSound, first: int, last: int
    ) -> list[tuple[float, str]]:
        """Processes chunks [first, last) of the sound as one answer."""
        hits: list[tuple[float, str]] = []
        busy_until_s = 0.0
        self.barge.begin()
        for number in range(first, last):
            now_s = (number + 1) * CHUNK_S
            pcm = sound.chunk(number)
            began_s = time.process_time()
            chunk = remover.hear(pcm, now_s)
            woken = self.barge.feed(chunk)
            self.cpu_s += time.process_time() - began_s
            if chunk.playing and chunk.sure:
                powers = [float(np.mean(np.square(x, dtype=float))) + 1.0 for x in (pcm, chunk.pcm)]
                self.attenuated_db.append(10 * np.log10(powers[0] / powers[1]))
            if woken:
                hits.append((now_s, "wake"))
                self.barge.begin()
            if now_s < busy_until_s or not chunk.playing:
                continue
            burst = self.barge.next_burst()
            if burst is not None:
                stop, probability, took_s = self._read(burst.pcm)
                said = self.barge.judge_transcript(burst, stop, probability)
                if said and burst.own is not None:
                    own_stop, _, further_s = self._read(burst.own)
                    said, took_s = not own_stop, took_s + further_s
                busy_until_s = now_s + took_s
                if said:
                    hits.append((busy_until_s, "stop"))
                    self.barge.begin()
        return hits

    def _read(self, pcm: np.ndarray) -> tuple[bool, float, float]:
        began_s = time.thread_time()
        transcript = self.recogniser.transcribe(pcm.astype(np.float32) / 32768.0)
        self.readings_s.append(time.thread_time() - began_s)
        stop = self.router.decide(transcript.text).intent == "stop"
        took_s = self.readings_s[-1] if self.reading_s is None else self.reading_s
        return stop, transcript.probability, took_s


def make_listener(pack: Pack) -> Listener:
    """The parts with the default settings and the pack's recogniser."""
    recogniser, router = InProcessRecogniser(pack.bricks["stt"].options), Router()
    router.warm()
    wake, own_wake = (WakeWord(WakeConfig().word, steps=1) for _ in range(2))
    barge = BargeIn(wake, own_wake, VoiceActivity(), BargeConfig())
    return Listener(barge, recogniser, router)
