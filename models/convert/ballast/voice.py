"""A Piper voice of random weights with the shape and cost of a "medium" VITS voice.

Text encoder, four coupling layers and a HiFi-GAN-like decoder with Piper medium's widths. Every phoneme id
has the same number of frames, so the length of speech depends on the length of the text only.
"""

from __future__ import annotations

import json
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from onnx import TensorProto
from piper.phoneme_ids import DEFAULT_PHONEME_ID_MAP

from models.convert.ballast.graph import RandomGraph


@dataclass(frozen=True)
class VoiceShape:
    """Piper "medium" by default."""

    symbols: int = 256
    width: int = 192
    hidden: int = 768
    heads: int = 2
    layers: int = 6
    flows: int = 4
    flow_layers: int = 4
    decoder_width: int = 256
    rates: tuple[int, ...] = (8, 8, 4)
    kernels: tuple[int, ...] = (16, 16, 8)
    sample_rate_hz: int = 22050
    frames_per_id: float = 3.6
    """About 83 ms per phoneme, as ids alternate with padding."""

    @property
    def hop_length(self) -> int:
        """Samples per frame."""
        return int(np.prod(self.rates))


def _encoder(g: RandomGraph, shape: VoiceShape) -> str:
    """Phoneme ids [1, t] -> [1, width, t]."""
    w = shape.width
    x = g.add(
        "Gather",
        g.constant(np.random.default_rng(4).standard_normal((shape.symbols, w), np.float32)),
        "input",
    )
    for _ in range(shape.layers):
        x = g.norm(g.add("Add", x, g.attention(x, -1, w, shape.heads)), w)
        up = g.add("Relu", g.conv(g.add("Transpose", x, perm=[0, 2, 1]), w, shape.hidden, 3))
        down = g.add("Transpose", g.conv(up, shape.hidden, w, 3), perm=[0, 2, 1])
        x = g.norm(g.add("Add", x, down), w)
    return g.add("Transpose", x, perm=[0, 2, 1])


def _spread(g: RandomGraph, x: str, shape: VoiceShape) -> str:
    """Repeat the column of each id for its duration: [1, width, t] -> [1, width, frames]."""
    length_scale = g.add("Gather", "scales", g.constant(np.array(1, np.int64)))
    frames_per_id = g.add("Mul", length_scale, g.constant(np.float32(shape.frames_per_id)))
    ids = g.add(
        "Cast", g.add("Gather", "input_lengths", g.constant(np.array(0, np.int64))), to=TensorProto.FLOAT
    )
    frames = g.add("Floor", g.add("Mul", ids, frames_per_id))
    zero, one = g.constant(np.float32(0)), g.constant(np.float32(1))
    position = g.add("Div", g.add("Range", zero, frames, one), frames_per_id)
    last = g.add("Sub", ids, one)
    index = g.add("Cast", g.add("Min", g.add("Floor", position), last), to=TensorProto.INT64)
    return g.add("Gather", x, index, axis=2)


def _flow(g: RandomGraph, x: str, shape: VoiceShape) -> str:
    """One coupling layer: a gated convolution stack."""
    w = shape.width
    half = g.add("Slice", x, g.ints(0), g.ints(w // 2), g.ints(1))
    other = g.add("Slice", x, g.ints(w // 2), g.ints(w), g.ints(1))
    h, skip = g.conv(half, w // 2, w, 1), ""
    for _ in range(shape.flow_layers):
        gate = g.conv(h, w, 2 * w, 5)
        tanh = g.add("Tanh", g.add("Slice", gate, g.ints(0), g.ints(w), g.ints(1)))
        sigmoid = g.add("Sigmoid", g.add("Slice", gate, g.ints(w), g.ints(2 * w), g.ints(1)))
        out = g.conv(g.add("Mul", tanh, sigmoid), w, 2 * w, 1)
        h = g.add("Add", h, g.add("Slice", out, g.ints(0), g.ints(w), g.ints(1)))
        part = g.add("Slice", out, g.ints(w), g.ints(2 * w), g.ints(1))
        skip = g.add("Add", skip, part) if skip else part
    return g.add("Concat", g.add("Sub", other, g.conv(skip, w, w // 2, 1)), half, axis=1)


def _decoder(g: RandomGraph, x: str, shape: VoiceShape) -> None:
    """[1, width, frames] -> sound [1, 1, samples]."""
    channels = shape.decoder_width
    x = g.conv(x, shape.width, channels, 7)
    for rate, kernel in zip(shape.rates, shape.kernels, strict=True):
        pad = (kernel - rate) // 2
        up = {"kernel_shape": [kernel], "strides": [rate], "pads": [pad, pad]}
        weight = g.random(channels, channels // 2, kernel, gain=rate**0.5)
        x = g.add("ConvTranspose", g.add("LeakyRelu", x, alpha=0.1), weight, **up)
        channels //= 2
        total = ""
        for size, dilations in ((3, (1, 2)), (5, (2, 6)), (7, (3, 12))):
            y = x
            for dilation in dilations:
                y = g.add(
                    "Add", y, g.conv(g.add("LeakyRelu", y, alpha=0.1), channels, channels, size, dilation)
                )
            total = g.add("Add", total, y) if total else y
        x = g.add("Div", total, g.constant(np.float32(3)))
    g.add("Tanh", g.conv(g.add("LeakyRelu", x, alpha=0.01), channels, 1, 7))


def write_voice(path: Path, shape: VoiceShape, seed: int = 3) -> None:
    """Write the model and, beside it, its settings as `<path>.json`."""
    g = RandomGraph(seed)
    x = _spread(g, _encoder(g, shape), shape)
    noise = g.add("RandomNormalLike", x, seed=1.0)
    noise_scale = g.add("Gather", "scales", g.constant(np.array(0, np.int64)))
    x = g.add("Add", x, g.add("Mul", noise, noise_scale))
    for _ in range(shape.flows):
        x = _flow(g, x, shape)
    _decoder(g, x, shape)
    inputs: dict[str, tuple[int, list[int | str]]] = {
        "input": (TensorProto.INT64, [1, "t"]),
        "input_lengths": (TensorProto.INT64, [1]),
        "scales": (TensorProto.FLOAT, [3]),
    }
    g.save(path, inputs, "output", [1, 1, "samples"])
    settings = {
        "audio": {"sample_rate": shape.sample_rate_hz, "quality": "medium"},
        "espeak": {"voice": "en-us"},
        "inference": {"noise_scale": 0.667, "length_scale": 1.0, "noise_w": 0.8},
        "phoneme_type": "espeak",
        "num_symbols": shape.symbols,
        "num_speakers": 1,
        "speaker_id_map": {},
        "hop_length": shape.hop_length,
        "phoneme_id_map": DEFAULT_PHONEME_ID_MAP,
    }
    Path(f"{path}.json").write_text(json.dumps(settings, ensure_ascii=False, indent=1))
