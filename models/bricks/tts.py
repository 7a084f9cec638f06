"""Text to speech: Piper, with an ONNX Runtime session that controls threads, memory and cancellation.

Piper is GPL-3.0; it is imported only in this brick's process, which exchanges messages with the main process.

Files: `model`, `config` (Piper's JSON). Settings: `length_scale` (multiplies the voice's), `noise_scale`,
`noise_w`, `normalize` (scale each sentence to full range first), `volume`, `sentence_gap_s`, `arena`.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from typing import Any

import numpy as np
from piper import PiperVoice, SynthesisConfig
from piper.config import PiperConfig

from models.brick import AudioChunk, BrickError, Cancelled, Context, Sentence
from models.bricks.ort import CancellableSession
from models.process.child_main import free_model_memory

RATES_HZ = range(8_000, 48_001)
"""Samples a second that a speaker can be given."""


class Voice:
    """One Piper voice. Requests are `Sentence`, the answer is one `AudioChunk` per sentence of its text."""

    def __init__(self, options: Mapping[str, Any], context: Context) -> None:
        self._options = options
        self._context = context
        self._voice: PiperVoice | None = None

    def load(self) -> None:
        try:
            with open(self._options["config"], encoding="utf-8") as file:
                config = PiperConfig.from_dict(json.load(file))
            if not isinstance(config.sample_rate, int) or config.sample_rate not in RATES_HZ:
                raise ValueError(f"it speaks at {config.sample_rate} Hz, and voices do at 8000 to 48000")
        except (OSError, ValueError, LookupError, TypeError, AttributeError, RecursionError) as error:
            raise BrickError(
                f"The voice's settings {self._options['config']} can't be read: {error}."
            ) from error
        session = CancellableSession(
            self._options["model"], self._context, arena=bool(self._options.get("arena", False))
        )
        self._voice = PiperVoice(session=session, config=config)  # type: ignore[arg-type]
        self._voice.phonemize("a")

    def execute(self, request: Sentence) -> Iterator[AudioChunk]:
        assert self._voice is not None
        config = self._voice.config
        synthesis = SynthesisConfig(
            length_scale=config.length_scale * self._options.get("length_scale", 1.0) * request.length_scale,
            noise_scale=self._options.get("noise_scale"),
            noise_w_scale=self._options.get("noise_w"),
            normalize_audio=bool(self._options.get("normalize", True)),
            volume=float(self._options.get("volume", 0.8)),
        )
        gap = np.zeros(round(config.sample_rate * float(self._options.get("sentence_gap_s", 0.2))), np.int16)
        ended = False
        for line in request.text.splitlines():
            for chunk in self._voice.synthesize(line, synthesis):
                if self._context.cancelled():
                    raise Cancelled
                pcm = chunk.audio_int16_array.reshape(-1)
                yield AudioChunk(np.concatenate([gap, pcm]) if ended else pcm, config.sample_rate)
                ended = True
            ended = ended and line.rstrip().endswith((".", "!", "?"))

    def release(self) -> None:
        self._voice = None
        free_model_memory()


def create(options: Mapping[str, Any], context: Context) -> Voice:
    """The brick, not yet loaded."""
    return Voice(options, context)
