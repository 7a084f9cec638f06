"""What may stand in a `pack.toml`: every key with its type and range, the settings of each brick included."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Annotated, Any, Literal

from hw.settings import Form, Range, SettingsError, fill

Memory = Annotated[int, Range(1, 65_536, "MiB")]
Mean = Annotated[float, Range(-10, 10)]
Spread = Annotated[float, Range(0.001, 10)]
Runtime = Literal["whisper.cpp", "onnxruntime", "llama.cpp", "piper"]


@dataclass(frozen=True)
class Sampling:
    """How whisper.cpp chooses words; each as in its `whisper_full_params`."""

    temperature: Annotated[float, Range(0, 1)] = 0.0
    """0 takes the likeliest word, 0 to 1."""
    no_speech_thold: Annotated[float, Range(0, 1)] = 0.6
    """Probability from which sound counts as no speech, 0 to 1."""
    logprob_thold: Annotated[float, Range(-100, 0)] = -1.0
    """Mean log probability below which a reading counts as failed, -100 to 0."""
    entropy_thold: Annotated[float, Range(0, 100)] = 2.4
    """Entropy below which a reading counts as a repetition, 0 to 100."""
    initial_prompt: str = ""
    """Text that the recogniser takes for what was said before."""
    suppress_nst: bool = False
    """Leave out what is no speech, such as "(music)"."""


@dataclass(frozen=True)
class SpeechToTextSettings:
    """Of `models.bricks.stt`."""

    audio_ctx: tuple[Annotated[int, Range(1, 1500, "positions")], ...] = (1500,)
    """Lengths of sound that are offered, 1 to 1500 positions, 50 for a second."""
    language: Annotated[str, Form(r"[a-z]{2,3}", 'a code such as "en"')] = "en"
    """What is spoken."""
    max_tokens: Annotated[int, Range(0, 448, "tokens")] = 0
    """Longest text, 0 to 448 tokens; 0: as long as the model can."""
    suppress_blank: bool = False
    """No text begins with a blank."""
    sampling: Sampling = field(default_factory=Sampling)


@dataclass(frozen=True)
class VisionSettings:
    """Of `models.bricks.sight`, on cores and NPU."""

    tokens: Annotated[int, Range(1, 8192, "rows")] = 64
    """Rows that a picture becomes, 1 to 8192 rows."""
    width: Annotated[int, Range(1, 16_384, "values")] = 128
    """Length of a row, 1 to 16_384 values."""
    mean: Mean | tuple[Mean, Mean, Mean] = 0.0
    """Taken from values of 0 to 1, for all channels or for each, -10 to 10."""
    std: Spread | tuple[Spread, Spread, Spread] = 1.0
    """What they are divided by then, 0.001 to 10."""
    arena: bool = False
    """ONNX Runtime keeps memory for its next run."""


@dataclass(frozen=True)
class DecoderSettings:
    """Of `models.bricks.llm`."""

    n_ctx: Annotated[int, Range(16, 131_072, "positions")] = 512
    """What the decoder holds, 16 to 131_072 positions."""
    n_batch: Annotated[int, Range(1, 8192, "positions")] = 256
    """What is fed in one go, 1 to 8192 positions."""
    before_images: str = ""
    """Text with control tokens before the pictures."""
    prompt: Annotated[str, Form(r"[\s\S]*\{question\}[\s\S]*", "a text with {question} in it")] = (
        "<|q|>{question}<|a|>"
    )
    """Text after the pictures."""
    turn: str = ""
    """How an earlier question and its answer are written."""
    history_tokens: Annotated[int, Range(0, 8192, "tokens")] = 0
    """What earlier questions and answers may take, 0 to 8192 tokens."""
    answer_tokens: Annotated[int, Range(0, 4096, "tokens")] = 0
    """0: until the model ends its answer; else exactly so many, 0 to 4096 tokens."""
    repack: bool = False
    """Weights in the processor's order."""
    mmap: bool = False
    """Map the file instead of reading it."""


@dataclass(frozen=True)
class VoiceSettings:
    """Of `models.bricks.tts`."""

    length_scale: Annotated[float, Range(0.25, 4)] = 1.0
    """Speaking time relative to the voice's own, 0.25 to 4."""
    noise_scale: Annotated[float, Range(0, 2)] | None = None
    """Variation of the sound, 0 to 2; without it the voice's own."""
    noise_w: Annotated[float, Range(0, 2)] | None = None
    """Variation of the lengths, 0 to 2; without it the voice's own."""
    normalize: bool = True
    """Scale each sentence to full range first."""
    volume: Annotated[float, Range(0, 4)] = 0.8
    """Factor of the loudness, 0 to 4."""
    sentence_gap_s: Annotated[float, Range(0, 5, "seconds")] = 0.2
    """Silence between sentences, 0 to 5 seconds."""
    arena: bool = False
    """ONNX Runtime keeps memory for its next run."""


BRICK_SETTINGS: Mapping[str, type[Any]] = {
    "whisper.cpp": SpeechToTextSettings,
    "onnxruntime": VisionSettings,
    "llama.cpp": DecoderSettings,
    "piper": VoiceSettings,
}
"""By runtime."""


@dataclass(frozen=True)
class FileTable:
    """One `[[file]]`; see `models.pack.manifest`."""

    path: str
    size: Annotated[int, Range(0, 1_000_000_000_000, "bytes")] = 0
    """0 to 1_000_000_000_000 bytes; 0 where it is not known."""
    sha256: Annotated[str, Form(r"([0-9a-f]{64})?", "a SHA-256 of 64 hexadecimal digits")] = ""
    licence: str = ""
    repository: str = ""
    file: str = ""
    revision: str = ""
    made_from: tuple[str, ...] = ()
    recorded: str = ""


@dataclass(frozen=True)
class NpuTable:
    """A brick's `npu`; see `models.pack.brick_table`."""

    file: str
    chips: tuple[str, ...]
    librknnrt: str
    side_px: Annotated[int, Range(1, 4096, "pixels")]
    """Side of the picture that the network takes, 1 to 4096 pixels."""
    memory_mib: Memory
    """Of its loaded, working process, 1 to 65_536 MiB."""
    driver: str = ""


@dataclass(frozen=True)
class BrickTable:
    """One `[brick.NAME]`."""

    runtime: Runtime
    memory_mib: Memory
    """Of its loaded, working process, 1 to 65_536 MiB."""
    placement: Literal["cpu", "npu", "gpu"] = "cpu"
    files: Mapping[str, str] = field(default_factory=dict)
    settings: Mapping[str, Any] = field(default_factory=dict)
    """As `BRICK_SETTINGS` says for its runtime."""
    npu: NpuTable | None = None


@dataclass(frozen=True)
class PackTable:
    """A whole `pack.toml`."""

    file: tuple[FileTable, ...]
    name: str = ""
    version: str = ""
    description: str = ""
    licence: str = ""
    restore: str = ""
    brick: Mapping[Literal["stt", "vision", "llm", "tts"], BrickTable] = field(default_factory=dict)


def check_pack(data: Mapping[str, Any], path: Path) -> PackTable:
    """A manifest as it was read from `path`. Raises `SettingsError` with one sentence."""
    table: PackTable = fill(PackTable, data, path)
    for name, brick in table.brick.items():
        at = ("brick", name, "settings")
        settings = fill(BRICK_SETTINGS[brick.runtime], brick.settings, path, at)
        if isinstance(settings, DecoderSettings) and settings.history_tokens >= settings.n_ctx:
            raise SettingsError(f"In {path}, [{'.'.join(at)}] history_tokens must be less than n_ctx.")
    return table
