"""What is trained, as it runs on the headband: encoder under ONNX Runtime, decoder under llama.cpp."""

from __future__ import annotations

import ctypes
from collections.abc import Sequence
from pathlib import Path

import llama_cpp
import numpy as np
import onnxruntime
from numpy.typing import NDArray

_CONTEXT_ROWS = 512


def _session(path: Path) -> onnxruntime.InferenceSession:
    options = onnxruntime.SessionOptions()
    options.intra_op_num_threads = 1
    options.add_session_config_entry("session.intra_op.allow_spinning", "0")
    return onnxruntime.InferenceSession(str(path), options)


def _feed(picture: NDArray[np.uint8]) -> NDArray[np.float32]:
    return picture.astype(np.float32).transpose(2, 0, 1)[None] / np.float32(255)


class VisionEncoder:
    """The whole network: uint8 [side, side, 3] -> float32 [64, width]."""

    def __init__(self, path: Path) -> None:
        self.session = _session(path)
        self.side_px: int = self.session.get_inputs()[0].shape[2]

    def encode(self, picture: NDArray[np.uint8]) -> NDArray[np.float32]:
        """Decoder input rows of one picture."""
        rows: NDArray[np.float32] = self.session.run(None, {"pixels": _feed(picture)})[0][0]
        return np.ascontiguousarray(rows)


class EncoderChain:
    """The pieces of the network, in a folder: stem, groups, exits and rows."""

    def __init__(self, folder: Path) -> None:
        self._stem, self._rows = _session(folder / "stem.onnx"), _session(folder / "rows.onnx")
        self._groups = [_session(path) for path in sorted(folder.glob("group_*.onnx"))]
        self._exits = [_session(path) for path in sorted(folder.glob("exit_*.onnx"))]
        self.side_px: int = self._stem.get_inputs()[0].shape[2]

    def activations(self, picture: NDArray[np.uint8]) -> list[NDArray[np.float32]]:
        """The activations of every depth, 0 first, [64, width] each."""
        found = [self._stem.run(None, {"pixels": _feed(picture)})[0]]
        for group in self._groups:
            found.append(group.run(None, {"activation": found[-1]})[0])
        return [each[0] for each in found]

    def embed(self, activation: NDArray[np.float32], depth: int) -> NDArray[np.float32]:
        """The recall embedding of an activation of `depth`, [256]."""
        embedding: NDArray[np.float32] = self._exits[depth - 1].run(None, {"activation": activation[None]})[
            0
        ][0]
        return embedding

    def rows(self, activation: NDArray[np.float32]) -> NDArray[np.float32]:
        """The deepest activation -> decoder input rows, [64, width]."""
        rows: NDArray[np.float32] = self._rows.run(None, {"activation": activation[None]})[0][0]
        return np.ascontiguousarray(rows)

    def encode(self, picture: NDArray[np.uint8]) -> NDArray[np.float32]:
        """Decoder input rows of one picture."""
        return self.rows(self.activations(picture)[-1])


Encoder = VisionEncoder | EncoderChain


def encoder_in(folder: Path) -> Encoder:
    """The eye of a pack or of exported files: the pieces, or the one graph where there are none."""
    return (
        EncoderChain(folder / "vision")
        if (folder / "vision").is_dir()
        else VisionEncoder(folder / "vit.onnx")
    )


class TextEncoder:
    """Word ids int64 [24] -> recall embedding float32 [256]."""

    def __init__(self, path: Path) -> None:
        self.session = _session(path)

    def embed(self, tokens: NDArray[np.int64]) -> NDArray[np.float32]:
        """The embedding of one sentence."""
        embedding: NDArray[np.float32] = self.session.run(None, {"tokens": tokens[None]})[0][0]
        return embedding


class AnswerDecoder:
    """decoder.gguf under llama.cpp: answers a question about image rows."""

    def __init__(self, path: Path) -> None:
        self.model = llama_cpp.Llama(
            str(path),
            n_ctx=_CONTEXT_ROWS,
            n_batch=256,
            n_threads=1,
            n_threads_batch=1,
            verbose=False,
            logits_all=False,
        )
        self.context = self.model._ctx.ctx
        self.memory = llama_cpp.llama_get_memory(self.context)
        self.n_image = 0

    def prefill_images(
        self, frames: Sequence[NDArray[np.float32]], pictures: Sequence[NDArray[np.uint8]] = ()
    ) -> None:
        """Evaluates the rows of 0 to 2 frames, oldest first; later questions are about them."""
        llama_cpp.llama_memory_clear(self.memory, True)
        self.n_image = 0
        for rows in frames:
            pointer = rows.ctypes.data_as(ctypes.POINTER(ctypes.c_float))
            if llama_cpp.llama_decode(self.context, llama_cpp.llama_batch(n_tokens=len(rows), embd=pointer)):
                raise RuntimeError("llama.cpp refused the image rows")
            self.n_image += len(rows)

    def logits(self, ids: Sequence[int]) -> NDArray[np.float32]:
        """Evaluates `ids`; float32 [vocab], the logits of the next token."""
        tokens = (llama_cpp.llama_token * len(ids))(*ids)
        if llama_cpp.llama_decode(self.context, llama_cpp.llama_batch_get_one(tokens, len(ids))):
            raise RuntimeError("llama.cpp refused the words")
        pointer = llama_cpp.llama_get_logits_ith(self.context, -1)
        return np.ctypeslib.as_array(pointer, shape=(self.model.n_vocab(),)).copy()

    def forget_words(self) -> None:
        """Removes everything after the pictures from the KV cache."""
        llama_cpp.llama_memory_seq_rm(self.memory, 0, self.n_image, -1)

    def prompt(self, question: str) -> list[int]:
        """The ids of one question, by llama.cpp's own tokenizer."""
        return self.model.tokenize(f"<|q|>{question}<|a|>".encode(), add_bos=False, special=True)

    def answer(self, question: str, max_tokens: int = 48) -> str:
        """The answer by greedy decoding."""
        return self.answer_with_probability(question, max_tokens)[0]

    def answer_with_probability(self, question: str, max_tokens: int = 48) -> tuple[str, float]:
        """The answer by greedy decoding, and the least probability of its tokens."""
        self.forget_words()
        ids, said, least = self.prompt(question), [], 1.0
        for _ in range(max_tokens):
            logits = self.logits(ids)
            best = int(logits.argmax())
            if best == self.model.token_eos():
                break
            least = min(least, float(1.0 / np.exp(logits - logits[best]).sum()))
            said.append(best)
            ids = [best]
        return self.model.detokenize(said).decode(errors="replace"), least
