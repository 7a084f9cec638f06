"""Speech to text: whisper.cpp through pywhispercpp's low-level binding.

Only the low-level module is imported, because its package imports a download stack. The library ends the
process on a bad file, so the file is checked first. Flash attention is off: it does not mask the padding of a
shortened audio context, which causes wrong words. Whisper's own models write what they hear besides speech,
such as "[BLANK_AUDIO]", "(wind blowing)" or "*coughs*"; that is no part of a transcript.

Files: `model`. Settings: `audio_ctx` (window lengths, in positions of 20 ms; the shortest that holds the clip
is used), `language`, `max_tokens` (0: the model's limit), `doubtful_below`, `suppress_blank`, `sampling`
(more of `whisper_full_params`). Their ranges are in `models.pack.brick_settings`.
"""

from __future__ import annotations

import re
import time
from collections.abc import Iterator, Mapping
from typing import Any

import _pywhispercpp as pw
import numpy as np
from numpy.typing import NDArray

from models.brick import MICROPHONE_RATE_HZ, BrickError, Cancelled, Context, Transcript, Utterance
from models.bricks.whisper_file import MATRIX_TYPES, Q4_0, Q4_1, Q8_0, WhisperFileError, check_whisper_file
from models.process.child_main import free_model_memory

POSITIONS_PER_S = 50
MIN_SAMPLES = 1_680
"""whisper.cpp processes no clip of fewer than ten steps of 10 ms, and counts 1,600 samples as nine."""
EDGE_SHARE = 0.03
"""Edges of a too long clip are trimmed where they are quieter than this share of its loudest 20 ms."""
_BLOCK = MICROPHONE_RATE_HZ // POSITIONS_PER_S
"""Samples of one position (20 ms)."""
_GAP_BLOCKS = 9
"""Length over which the level is averaged to find the quietest cut, blocks (0.18 s)."""
_ABORT_POLL_S = 0.002
_NOT_SAID = re.compile(r"[\[(][^\])]*(?:[\])]|$)|\*[^*]*\*|♪")
"""What a model writes about other sound. A description may be cut short."""
_HALVES = re.compile(r"\b(\d+)(?: ?½| 1/2|\.5)(?=[ -](?:second|minute|hour))")
_ON_TILES = (Q4_0, Q4_1, Q8_0)
"""Types of matrices that ggml multiplies with AMX tiles where it was built with them."""


class SpeechToText:
    """One whisper.cpp model. Requests are `Utterance`, the answer is one `Transcript`."""

    def __init__(self, options: Mapping[str, Any], context: Context) -> None:
        self._options = options
        self._context = context
        self._native: Any = None
        self._params: Any = None
        self._contexts: list[int] = []

    def load(self) -> None:
        path = self._options["model"]
        try:
            header = check_whisper_file(path).header
        except WhisperFileError as error:
            raise BrickError(str(error)) from error
        if MATRIX_TYPES[header.ftype] in _ON_TILES and "AMX_INT8 = 1" in pw.whisper_print_system_info():
            raise BrickError(
                "This whisper.cpp was built with AMX, whose tiles end the process on a model of 4 or 8 bits; "
                "take one in float16 or 5 bits."
            )
        context_params = pw.whisper_context_default_params()
        context_params.flash_attn = False
        context_params.use_gpu = False
        self._native = pw.whisper_init_from_file_with_params(path, context_params)
        offered = self._options.get("audio_ctx", [header.n_audio_ctx])
        self._contexts = sorted(min(int(positions), header.n_audio_ctx) for positions in offered)
        params = pw.whisper_full_default_params(pw.whisper_sampling_strategy.WHISPER_SAMPLING_GREEDY)
        settings = {
            "language": self._options.get("language", "en"),
            "no_timestamps": True,
            "single_segment": True,
            "suppress_blank": bool(self._options.get("suppress_blank", False)),
            "temperature_inc": 0.0,
            "no_context": True,
            "max_tokens": int(self._options.get("max_tokens", 0)),
            "print_progress": False,
            "print_realtime": False,
            "print_timestamps": False,
            "print_special": False,
            **self._options.get("sampling", {}),
        }
        for name, value in settings.items():
            setattr(params, name, value)
        self._params = params

    def execute(self, request: Utterance) -> Iterator[Transcript]:
        texts, log_sum, tokens, words = [], 0.0, 0, []
        for pcm in self._windows(np.ascontiguousarray(request.pcm, np.float32)):
            self._recognise(pcm)
            text, log, count = self._transcript()
            texts.append(text)
            words += self._word_probabilities()
            log_sum, tokens = log_sum + log, tokens + count
        whole = " ".join(filter(None, texts))
        probability = float(np.exp(log_sum / tokens)) if whole and tokens else 0.0
        doubtful = probability < float(self._options.get("doubtful_below", 0.0))
        told = tuple(words) if len(words) == len(whole.split()) else ()
        yield Transcript(whole, probability, doubtful, told)

    def _recognise(self, pcm: NDArray[np.float32]) -> None:
        self._params.n_threads = self._context.threads
        self._params.audio_ctx = self._positions(len(pcm))
        poll = _AbortPoll(self._context)
        pw.assign_abort_callback(self._params, poll)
        status = pw.whisper_full(self._native, self._params, pcm, pcm.size)
        if self._context.cancelled():
            raise Cancelled
        if status != 0:
            raise BrickError(f"whisper.cpp could not read this clip (code {status}).")

    def release(self) -> None:
        pw.whisper_free(self._native)
        self._native = self._params = None
        free_model_memory()

    def _positions(self, samples: int) -> int:
        needed = samples * POSITIONS_PER_S / MICROPHONE_RATE_HZ
        return next((p for p in self._contexts if p >= needed), self._contexts[-1])

    def _windows(self, pcm: NDArray[np.float32]) -> list[NDArray[np.float32]]:
        """The clip in pieces that fit the model's window: padded when shorter than `MIN_SAMPLES`; when too
        long, trimmed at silent edges, then cut at the quietest point.
        """
        if len(pcm) < MIN_SAMPLES:
            return [np.pad(pcm, (0, MIN_SAMPLES - len(pcm)))]
        most = self._contexts[-1]
        if len(pcm) <= most * _BLOCK:
            return [pcm]
        blocks = pcm[: len(pcm) // _BLOCK * _BLOCK].reshape(-1, _BLOCK)
        level = np.sqrt(np.mean(blocks * blocks, axis=1))
        loud = np.flatnonzero(level >= EDGE_SHARE * level.max())
        start, stop = int(loud[0]), int(loud[-1]) + 1
        if stop - start <= most:
            start = max(0, start - (most - (stop - start)) // 2)
            return [pcm[start * _BLOCK : (start + most) * _BLOCK]]
        gap = np.convolve(level, np.ones(_GAP_BLOCKS), "same")
        cut = start + most // 2 + int(np.argmin(gap[start + most // 2 : start + most]))
        return [pcm[start * _BLOCK : cut * _BLOCK], *self._windows(pcm[cut * _BLOCK : stop * _BLOCK])]

    def _transcript(self) -> tuple[str, float, int]:
        """What was said in the last clip, sum of its tokens' log probabilities, and their number."""
        texts: list[str] = []
        log_sum, tokens = 0.0, 0
        for segment in range(pw.whisper_full_n_segments(self._native)):
            texts.append(pw.whisper_full_get_segment_text(self._native, segment).decode("utf-8", "replace"))
            for token in range(pw.whisper_full_n_tokens(self._native, segment)):
                probability = pw.whisper_full_get_token_p(self._native, segment, token)
                log_sum += float(np.log(max(probability, 1e-9)))
                tokens += 1
        return _as_said("".join(texts)), log_sum, tokens

    def _word_probabilities(self) -> list[float]:
        """Of each word of the last clip, the least probability of its tokens."""
        words: list[float] = []
        special = pw.whisper_token_eot(self._native)
        for segment in range(pw.whisper_full_n_segments(self._native)):
            begun = False
            for token in range(pw.whisper_full_n_tokens(self._native, segment)):
                if pw.whisper_full_get_token_id(self._native, segment, token) >= special:
                    continue
                text = pw.whisper_full_get_token_text(self._native, segment, token)
                probability = pw.whisper_full_get_token_p(self._native, segment, token)
                if text.startswith(" ") or not begun:
                    words.append(probability)
                words[-1] = min(words[-1], probability)
                begun = True
        return words


def _as_said(written: str) -> str:
    """The words that were said, with straight apostrophes, and lengths of time without fractions: "2.5 hours"
    is "2 and a half hours".
    """
    said = " ".join(_NOT_SAID.sub(" ", written).split()).replace("’", "'")
    return _HALVES.sub(r"\1 and a half", said)


class _AbortPoll:
    """Abort callback: whisper.cpp calls it after every graph node, so the result is cached for 2 ms."""

    def __init__(self, context: Context) -> None:
        self._context = context
        self._answer = False
        self._next_s = 0.0

    def __call__(self) -> bool:
        now_s = time.monotonic()
        if now_s >= self._next_s:
            self._next_s = now_s + _ABORT_POLL_S
            self._answer = self._context.cancelled()
        return self._answer


def create(options: Mapping[str, Any], context: Context) -> SpeechToText:
    """The brick, not yet loaded."""
    return SpeechToText(options, context)
