"""The settings of each brick in `pack.toml`, `[brick.NAME.settings]`: every key with its type and range."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Annotated, Any, Literal

from hw.settings import Form, Range
from models.sensing.looking_again import MOST

Mean = Annotated[float, Range(-10, 10)]
Spread = Annotated[float, Range(0.001, 10)]
Share = Annotated[float, Range(0, 1)]
_SHORTEST_WINDOW = 50
"""Least positions of the longest input of a recogniser."""


@dataclass(frozen=True)
class Sampling:
    """whisper.cpp's decoding parameters; each as in its `whisper_full_params`."""

    temperature: Annotated[float, Range(0, 1)] = 0.0
    """Sampling temperature, 0 to 1; 0: greedy decoding."""
    no_speech_thold: Annotated[float, Range(0, 1)] = 0.6
    """Probability of no speech from which a segment counts as silent, 0 to 1."""
    logprob_thold: Annotated[float, Range(-100, 0)] = -1.0
    """Mean log probability below which decoding counts as failed, -100 to 0."""
    entropy_thold: Annotated[float, Range(0, 100)] = 2.4
    """Entropy below which a transcript counts as repetitive, 0 to 100."""
    initial_prompt: str = ""
    """Text that the model is given as the preceding transcript."""
    suppress_nst: bool = False
    """Suppress tokens for sounds other than speech, such as "(music)"."""


@dataclass(frozen=True)
class SpeechToTextSettings:
    """Settings of `models.bricks.stt`."""

    audio_ctx: tuple[Annotated[int, Range(1, 1500, "positions")], ...] = (1500,)
    """Lengths of the encoder's input to choose from, 1 to 1500 positions, 50 for a second."""
    language: Annotated[str, Form(r"[a-z]{2,3}", 'a code such as "en"')] = "en"
    """The spoken language."""
    max_tokens: Annotated[int, Range(0, 448, "tokens")] = 0
    """Maximum length of a transcript, 0 to 448 tokens; 0: the model's own limit."""
    doubtful_below: Annotated[float, Range(0, 1)] = 0.0
    """Transcripts less probable than this (mean over tokens, 0 to 1) are doubtful: speech that the recogniser
    does not know, or did not hear well.
    """
    paces: tuple[Annotated[float, Range(0.5, 2)], ...] = ()
    """Paces at which an utterance is heard again whose transcript is not sure, 0.5 to 2; none: it is not."""
    sure_from: Annotated[float, Range(0, 1)] = 0.0
    """From this probability on (mean over tokens, 0 to 1) a transcript is sure."""
    suppress_blank: bool = False
    """No transcript begins with a blank."""
    sampling: Sampling = field(default_factory=Sampling)

    def __post_init__(self) -> None:
        if not self.audio_ctx:
            raise ValueError("audio_ctx has to name a length")
        if max(self.audio_ctx) < _SHORTEST_WINDOW:  # what is said is cut into pieces of the longest one
            raise ValueError(f"audio_ctx has to name a length of {_SHORTEST_WINDOW} or more, a second")


@dataclass(frozen=True)
class VisionSettings:
    """Settings of `models.bricks.eye.sight`, on the processor and on an NPU."""

    tokens: Annotated[int, Range(1, 8192, "rows")] = 64
    """Rows per picture, 1 to 8192 rows."""
    width: Annotated[int, Range(1, 16_384, "values")] = 128
    """Length of a row, 1 to 16_384 values."""
    mean: Mean | tuple[Mean, Mean, Mean] = 0.0
    """Mean, subtracted from values of 0 to 1, for all channels or for each, -10 to 10."""
    std: Spread | tuple[Spread, Spread, Spread] = 1.0
    """Standard deviation, by which the differences are divided, 0.001 to 10."""
    rescale: Annotated[float, Range(1e-6, 1, or_zero=True)] = 0.0
    """Factor of the pixels' values of 0 to 255, before `mean` is subtracted, 0, or 1e-06 to 1; 0: 1/255, with
    `mean` and `std` in one float32 factor and summand."""
    resize: Literal["pad", "squash"] = "pad"
    """How a picture becomes square: "pad" as the micro pack was trained, "squash" to the square."""
    filter: Literal["nearest", "lanczos", "bilinear", "bicubic", "box", "hamming"] = "bilinear"
    """Pillow's filter with which "squash" resizes."""
    longest_edge_px: Annotated[int, Range(1, 4096, "pixels", or_zero=True)] = 0
    """Length of the long edge that "squash" first resizes a picture to, 0, or 1 to 4096 pixels; 0: none."""
    arena: bool = False
    """ONNX Runtime keeps its memory arena between runs; pieces of a chain always share one."""
    side_px: Annotated[int, Range(1, 4096, "pixels", or_zero=True)] = 0
    """Side of the picture that the network takes, 0, or 1 to 4096 pixels; 0: as the graph says. A chain needs
    it."""
    groups: tuple[Annotated[int, Range(1, 256, "blocks")], ...] = ()
    """Blocks in each group of a chain, 1 to 256 blocks; none for a single graph."""
    embedding: Annotated[int, Range(1, 4096, "values", or_zero=True)] = 0
    """Length of a place in the recall space, 0, or 1 to 4096 values; 0: no exits."""
    untrained_exits: tuple[Annotated[int, Range(1, 256, "blocks")], ...] = ()
    """Depths at which the exit was not trained, as it is the one of the last block, 1 to 256 blocks."""
    remember_depth: Annotated[int, Range(1, 256, "blocks", or_zero=True)] = 0
    """Exit at which a view is remembered where no predictor says another, 0, or 1 to 256 blocks; 0: the
    last."""
    remember_chosen: str = ""
    """How `remember_depth` or the predictor was chosen."""
    activation_tokens: Annotated[int, Range(1, 8192, "rows", or_zero=True)] = 0
    """Rows of an activation of a chain, 0, or 1 to 8192 rows; 0: as many as `tokens`."""
    activation_width: Annotated[int, Range(1, 16_384, "values", or_zero=True)] = 0
    """Length of an activation's row, 0, or 1 to 16_384 values; 0: as `width`."""
    stream: bool = False
    """The weights of only two groups of a chain are in memory: one in use, one being read."""
    stream_mb_s: Annotated[float, Range(0.1, 100_000, "MB/s", or_zero=True)] = 0.0
    """Declared read rate for experiments with `stream`, 0, or 0.1 to 100_000 MB/s; 0: as fast as it goes."""
    streamed_mib: Annotated[int, Range(1, 65_536, "MiB", or_zero=True)] = 0
    """Memory of the brick's process when it streams, 0, or 1 to 65_536 MiB. With a value the brick also
    streams where it would not fit below the plan's memory ceiling beside the largest other brick.
    """


@dataclass(frozen=True)
class TextSettings:
    """Settings of `models.bricks.text`, and what its places mean to the memory."""

    phrase: Annotated[str, Form(r"[^{}]*\{phrase\}[^{}]*", "a text with {phrase} in it")] = "{phrase}"
    """What is placed instead of a phrase, as the encoder knows such sentences from its training."""
    fits_from: Annotated[float, Range(-1, 1)] = 0.5
    """Cosine of a phrase and a picture below which the picture does not show it, -1 to 1."""
    about_as_well: Annotated[float, Range(0, 2)] = 0.12
    """How much smaller than the best one's a cosine is that fits about as well, 0 to 2."""
    chosen: str = ""
    """How the two were chosen, in one sentence."""
    arena: bool = False
    """ONNX Runtime keeps its memory arena between runs."""


@dataclass(frozen=True)
class CautionTable:
    """Confidence from which an answer is given, 0 to 1, by how cautious the wearer wants it."""

    low: Share
    """0 to 1."""
    normal: Share
    """0 to 1."""
    high: Share
    """0 to 1."""

    def __post_init__(self) -> None:
        if not self.low <= self.normal <= self.high:
            raise ValueError("low may not be above normal, nor normal above high")


@dataclass(frozen=True)
class DetectedTable:
    """What an object detector has to do with answers about shapes and signs, or about the wearer's things.
    Shares are of the scenes that it holds possible (`host.answers.seen.check`), 0 to 1.
    """

    backs_from: Share
    """An answer that is so in this share of the scenes is said as sure, 0 to 1."""
    corrects_from: Share
    """An answer that is different in this share of them, in the same way, is corrected, 0 to 1."""
    doubts_below: Share
    """An answer that is so in a smaller share of them is no surer than that, 0 to 1."""
    gives_from: CautionTable
    """A guess of the reflex brick whose form is this probable, and which is so in this share of the scenes,
    is given.
    """
    beside_from: Share = 0.0
    """What a thing is beside is told where that is so in this share of the scenes, 0 to 1."""


@dataclass(frozen=True)
class DetectionTable:
    """What an object detector has to do with answers about pictures."""

    shapes: DetectedTable
    """Of shapes and signs."""
    things: DetectedTable
    """Of the wearer's things and where they are."""
    remembered_from: Share = 0.0
    """A remembered view is told of at once where its thing is there in this share of the scenes, 0 to 1."""
    remembered_least: Share = 0.0
    """One whose thing is there in fewer is not told of, though no other view shows it, 0 to 1."""
    chosen: str = ""
    """How these were chosen, in one sentence."""


@dataclass(frozen=True)
class ReadingTable:
    """What the text reader has to do with answers about what is written."""

    given_from: Share
    """A word that is read with this probability takes the place of the answer's, 0 to 1."""
    chosen: str = ""
    """How it was chosen, in one sentence."""


@dataclass(frozen=True)
class ReflexSettings:
    """Settings of `models.bricks.reflex`."""

    tokens: Annotated[int, Range(1, 8192, "rows")]
    """Rows of a picture, as many as its eye gives, 1 to 8192 rows."""
    width: Annotated[int, Range(1, 16_384, "values")]
    """Length of a row, as its eye gives it, 1 to 16_384 values."""
    layers: Annotated[int, Range(1, 64, "layers")]
    """Cross-modal layers, each in a file of its own, 1 to 64 layers."""
    answerable_from: Share
    """Probability that there is an answer below which no layer is run, 0 to 1."""
    advice_from: Share
    """Probability of a cause from which its advice is given, 0 to 1."""
    exit_score: Share
    """Score of a layer's answer from which no further layer is run, 0 to 1."""
    keep: Annotated[float, Range(0.001, 1)]
    """Share of the image tokens that go on after the first layer, 0.001 to 1."""
    caution: CautionTable
    """Confidence from which an answer is given."""
    chosen: str = ""
    """How the thresholds were chosen, in one sentence."""
    encoder: Annotated[
        str, Form(r"([0-9a-f]{16})?", "the 16 digits of an encoder's identity, or nothing")
    ] = ""
    """The last part of the identity of the encoder whose rows it was trained on; "": any."""
    answered_share: Share | None = None
    """Share of closed questions that it answers at normal caution, measured on validation, 0 to 1."""
    detection: DetectionTable | None = None
    """What its object detector decides, where it has one."""
    reading: ReadingTable | None = None
    """What its text reader decides, where it has one."""
    eye: Literal["vision", "recall"] = "vision"
    """Whose rows it reads: the vision brick's, or those of the memory's own eye, where they are sooner."""
    unknown_words: Annotated[int, Range(0, 24, "words")] = 0
    """Most unknown words in a question that is read, 0 to 24 words."""
    arena: bool = False
    """ONNX Runtime keeps its memory arena between runs."""


@dataclass(frozen=True)
class MotionSettings:
    """Settings of `models.bricks.motion`."""

    depths: tuple[Annotated[int, Range(1, 99, "blocks")], ...]
    """Blocks of the encoder after which a picture may be a unit, a graph for each, 1 to 99 blocks."""
    depth: Annotated[int, Range(1, 99, "blocks")]
    """The one of them that is used, 1 to 99 blocks."""
    tokens: Annotated[int, Range(1, 8192, "rows")]
    """Rows of a unit, as many as the encoder's activations have, 1 to 8192 rows."""
    width: Annotated[int, Range(1, 16_384, "values")]
    """Length of such a row, 1 to 16_384 values."""
    cells: Annotated[int, Range(1, 8192, "cells")]
    """Cells of a finished unit, 1 to 8192 cells."""
    features: Annotated[int, Range(1, 16_384, "values")]
    """Values of a cell, 1 to 16_384 values."""
    least: Mapping[str, Share]
    """Probability from which an answer is given, 0 to 1, by family of questions; every answer of others."""
    least_low: Mapping[str, Share] = field(default_factory=dict)
    """The same where the wearer wants little caution, 0 to 1 by family; empty: as `least`."""
    least_high: Mapping[str, Share] = field(default_factory=dict)
    """The same where the wearer wants much, 0 to 1 by family."""
    chosen: str = ""
    """How the probabilities were chosen, in one sentence."""
    encoder: Annotated[
        str, Form(r"([0-9a-f]{16})?", "the 16 digits of an encoder's identity, or nothing")
    ] = ""
    """The last part of the identity of the encoder whose units it was trained on; "": any."""
    arena: bool = False
    """ONNX Runtime keeps its memory arena between runs."""
    shallower_too: bool = False
    """A picture is a unit at every one of `depths` up to the one that is used, and answers are the mean."""

    def __post_init__(self) -> None:
        if self.depth not in self.depths:
            raise ValueError("depth has to be one of depths")


@dataclass(frozen=True)
class DecoderSettings:
    """Settings of `models.bricks.llm`."""

    n_ctx: Annotated[int, Range(16, 131_072, "positions")] = 512
    """Length of the context, 16 to 131_072 positions."""
    n_batch: Annotated[int, Range(1, 8192, "positions")] = 256
    """Largest batch of an evaluation, 1 to 8192 positions."""
    before_images: str = ""
    """Text before the pictures, with control tokens."""
    between_images: str = ""
    """Text between two pictures."""
    prompt: Annotated[str, Form(r"[\s\S]*\{question\}[\s\S]*", "a text with {question} in it")] = (
        "<|q|>{question}<|a|>"
    )
    """Text after the pictures."""
    text_prompt: Annotated[str, Form(r"([\s\S]*\{question\}[\s\S]*)?", "a text with {question} in it")] = ""
    """The whole prompt of a question without a picture; "": `before_images` and `prompt`."""
    turn: str = ""
    """Template of an earlier question with its answer."""
    unicode_form: Literal["", "NFC", "NFD", "NFKC", "NFKD"] = ""
    """Unicode normalisation of a text before it is split into tokens; "": none."""
    history_tokens: Annotated[int, Range(0, 8192, "tokens")] = 0
    """Maximum length of earlier questions and answers together, 0 to 8192 tokens."""
    answer_tokens: Annotated[int, Range(0, 4096, "tokens")] = 0
    """Length of an answer, 0 to 4096 tokens; 0: until the model ends it."""
    repack: bool = False
    """llama.cpp repacks the weights for this processor."""
    mmap: bool = False
    """Map the file into memory instead of reading it."""
    caution: CautionTable | None = None
    """Least probability of a word from which an answer about pictures is given; none: every answer is. Where
    it looks more than once, least support of the answer (`models.sensing.looking_again`).
    """
    looks: Annotated[int, Range(1, MOST)] = 1
    """How often it is asked about one picture where it is not certain, 1 to 4."""
    certain_from: Annotated[float, Range(0, 1)] = 0.0
    """From this least probability of a word on the first look is enough, 0 to 1."""
    chosen: str = ""
    """How the levels of caution were chosen, in one sentence."""
    usual_wording: bool = False
    """It was taught a grammar of questions, so others are put into the words of that."""


@dataclass(frozen=True)
class VoiceSettings:
    """Settings of `models.bricks.tts`."""

    length_scale: Annotated[float, Range(0.25, 4)] = 1.0
    """Factor of all durations, 0.25 to 4."""
    noise_scale: Annotated[float, Range(0, 2)] | None = None
    """Variation of the sound, 0 to 2; None: the voice's default."""
    noise_w: Annotated[float, Range(0, 2)] | None = None
    """Variation of the durations, 0 to 2; None: the voice's default."""
    normalize: bool = True
    """Scale each sentence to full scale before `volume` is applied."""
    volume: Annotated[float, Range(0, 4)] = 0.8
    """Gain, 0 to 4."""
    sentence_gap_s: Annotated[float, Range(0, 5, "seconds")] = 0.2
    """Silence between sentences, 0 to 5 seconds."""
    arena: bool = False
    """ONNX Runtime keeps its memory arena between runs."""


BRICK_SETTINGS: Mapping[str, type[Any]] = {
    "whisper.cpp": SpeechToTextSettings,
    "onnxruntime": VisionSettings,
    "onnxruntime-text": TextSettings,
    "onnxruntime-reflex": ReflexSettings,
    "onnxruntime-motion": MotionSettings,
    "llama.cpp": DecoderSettings,
    "piper": VoiceSettings,
}
"""The settings of a brick, by runtime."""
