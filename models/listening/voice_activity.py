"""Voice activity: the Silero network, run step by step in numpy.

The network is small (0.3 M weights: a windowed Fourier transform written as a convolution, four
convolutions, one LSTM cell), so a step is a handful of matrix products. Running it here instead of in
ONNX Runtime keeps about 40 MiB of native runtime out of the main process, which must stay small all day.
The weights are the ones the `silero-vad` distribution carries; the package itself is never imported,
because its import pulls in a training framework. The network's structure follows the definition in that
distribution (MIT licence).
"""

from __future__ import annotations

import importlib.util
from collections.abc import Iterator
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

CHUNK_SAMPLES = 512
CONTEXT_SAMPLES = 64
_WEIGHTS = "data/silero_vad_16k_op15.onnx"
_FFT, _HOP, _PAD, _BINS, _HIDDEN = 256, 128, 64, 129, 128

Array = NDArray[np.float32]


def weights_path() -> Path:
    """Where the installed `silero-vad` distribution keeps its 16 kHz weights.

    Raises FileNotFoundError, in one sentence, when the distribution is not installed.
    """
    spec = importlib.util.find_spec("silero_vad")
    for folder in (spec.submodule_search_locations or []) if spec else []:
        path = Path(folder) / _WEIGHTS
        if path.is_file():
            return path
    raise FileNotFoundError("Voice activity needs the silero-vad package: run the install again.")


def _varint(data: memoryview, at: int) -> tuple[int, int]:
    value = shift = 0
    while True:
        byte = data[at]
        value |= (byte & 0x7F) << shift
        at += 1
        if byte < 0x80:
            return value, at
        shift += 7


def _fields(data: memoryview) -> Iterator[tuple[int, int | memoryview]]:
    """(field number, value) pairs of one protobuf message; nested messages stay as bytes."""
    at = 0
    while at < len(data):
        key, at = _varint(data, at)
        number, wire = key >> 3, key & 7
        if wire == 0:
            value, at = _varint(data, at)
            yield number, value
        elif wire == 2:
            size, at = _varint(data, at)
            yield number, data[at : at + size]
            at += size
        elif wire in (1, 5):
            at += 8 if wire == 1 else 4
        else:
            raise ValueError(f"not an ONNX file: wire type {wire}")


def _read_initializers(path: Path) -> dict[str, Array]:
    """Float32 weights of an ONNX file (its graph's initializers), by name.

    Field numbers follow onnx.proto3: model.graph 7, graph.initializer 5, tensor dims 1, type 2 (1 = float),
    name 8, raw_data 9.
    """
    weights: dict[str, Array] = {}
    graph = next(value for number, value in _fields(memoryview(path.read_bytes())) if number == 7)
    assert isinstance(graph, memoryview)
    for number, tensor in _fields(graph):
        if number != 5 or not isinstance(tensor, memoryview):
            continue
        dims: list[int] = []
        name, kind, raw = "", 0, memoryview(b"")
        for field, value in _fields(tensor):
            if isinstance(value, int):
                if field == 1:
                    dims.append(value)
                elif field == 2:
                    kind = value
            elif field == 8:
                name = bytes(value).decode()
            elif field == 9:
                raw = value
        if kind == 1:
            weights[name] = np.frombuffer(raw, "<f4").reshape(dims)
    return weights


class _Conv:
    """A convolution of width 3, padding 1, over a fixed number of frames, as one matrix product. Taps that
    only ever meet padding are left out.
    """

    def __init__(self, weight: Array, bias: Array, frames: int, stride: int) -> None:
        taps = np.arange(0, frames, stride)[:, None] + np.arange(3)[None, :]
        used = ((taps >= 1) & (taps <= frames)).any(axis=0)
        self._taps = taps[:, used]
        self._matrix = np.ascontiguousarray(weight[:, :, used].transpose(2, 1, 0).reshape(-1, len(weight)))
        self._bias = bias.copy()
        self._padded = np.zeros((frames + 2, weight.shape[1]), np.float32)

    def __call__(self, x: Array) -> Array:
        """x: [frames, channels_in] -> [frames_out, channels_out], rectified."""
        self._padded[1:-1] = x
        columns = self._padded[self._taps].reshape(len(self._taps), -1)
        return np.maximum(columns @ self._matrix + self._bias, 0.0)


def _sigmoid(x: Array) -> Array:
    # exp(87) is about as much as a float32 holds.
    return np.reciprocal(np.float32(1.0) + np.exp(-np.maximum(x, np.float32(-87.0))))


class VoiceActivity:
    """Probability that a 32 ms chunk of 16 kHz sound holds speech.

    State (the LSTM cell and 64 samples of context) runs from chunk to chunk; `reset()` clears it.
    """

    def __init__(self) -> None:
        w = {name.removeprefix("model."): value for name, value in _read_initializers(weights_path()).items()}
        basis, half = w["stft.forward_basis_buffer"][:, 0, :], _FFT // 2
        self._cosine = np.ascontiguousarray(basis[:_BINS, 1 : half + 1].T)
        self._sine = np.ascontiguousarray(basis[_BINS:, 1:half].T)
        self._convs = [
            _Conv(w[f"encoder.{i}.reparam_conv.weight"], w[f"encoder.{i}.reparam_conv.bias"], frames, stride)
            for i, (frames, stride) in enumerate([(4, 1), (4, 2), (2, 2), (1, 1)])
        ]
        # The file has the gates in the order input, forget, candidate, output; here the candidate comes last.
        order = np.r_[0 : 2 * _HIDDEN, 3 * _HIDDEN : 4 * _HIDDEN, 2 * _HIDDEN : 3 * _HIDDEN]
        inward, recurrent = w["decoder.rnn.weight_ih"][order].T, w["decoder.rnn.weight_hh"][order].T
        self._lstm = np.concatenate([inward, recurrent], out=np.empty((2 * _HIDDEN, 4 * _HIDDEN), np.float32))
        self._lstm_bias = (w["decoder.rnn.bias_ih"] + w["decoder.rnn.bias_hh"])[order]
        self._final = w["decoder.decoder.2.weight"][0, :, 0].copy()
        self._final_bias = float(w["decoder.decoder.2.bias"][0])
        self._frames = np.arange(4)[:, None] * _HOP + np.arange(_FFT)[None, :]
        self._window = np.zeros(CONTEXT_SAMPLES + CHUNK_SAMPLES, np.float32)
        self.reset()

    def reset(self) -> None:
        """Forget everything heard so far."""
        self._hidden = np.zeros(_HIDDEN, np.float32)
        self._cell = np.zeros(_HIDDEN, np.float32)
        self._window[:] = 0.0

    def process(self, pcm: NDArray[np.int16]) -> float:
        """pcm: int16 [512], mono, 16 kHz -> probability of speech, 0 to 1.

        Raises ValueError for any other length.
        """
        if pcm.shape != (CHUNK_SAMPLES,):
            raise ValueError(f"voice activity takes chunks of {CHUNK_SAMPLES} samples, got shape {pcm.shape}")
        window = self._window
        window[:CONTEXT_SAMPLES] = window[-CONTEXT_SAMPLES:]
        window[CONTEXT_SAMPLES:] = pcm
        window[CONTEXT_SAMPLES:] *= 1.0 / 32768.0
        padded = np.concatenate([window, window[-2 : -_PAD - 2 : -1]])
        x = self._magnitudes(padded[self._frames])
        for conv in self._convs:
            x = conv(x)
        gates = np.concatenate([x[0], self._hidden]) @ self._lstm + self._lstm_bias
        enter, forget, leave = _sigmoid(gates[: 3 * _HIDDEN]).reshape(3, _HIDDEN)
        self._cell = forget * self._cell + enter * np.tanh(gates[3 * _HIDDEN :])
        self._hidden = leave * np.tanh(self._cell)
        logit = float(np.maximum(self._hidden, 0.0) @ self._final) + self._final_bias
        return float(1.0 / (1.0 + np.exp(-logit)))

    def _magnitudes(self, frames: Array) -> Array:
        """Windowed spectra, [n, 256] -> [n, 129]. Window and cosines are symmetric about a frame's middle and
        the sines antisymmetric, so the frame is folded there, which halves both matrices.
        """
        half = _FFT // 2
        before, after = frames[:, 1:half], frames[:, :half:-1]
        folded = frames[:, 1 : half + 1].copy()
        folded[:, :-1] += after
        real, imaginary = folded @ self._cosine, (before - after) @ self._sine
        return np.sqrt(real * real + imaginary * imaginary)
