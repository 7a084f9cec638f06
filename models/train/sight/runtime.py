"""The trained pair as it runs on the headband: vit.onnx under ONNX Runtime, decoder.gguf under llama.cpp."""

from __future__ import annotations

import ctypes
from collections.abc import Sequence
from pathlib import Path

import llama_cpp
import numpy as np
import onnxruntime
from numpy.typing import NDArray

_CONTEXT_ROWS = 512


class VisionEncoder:
    """uint8 [128, 128, 3] -> float32 [64, width]."""

    def __init__(self, path: Path) -> None:
        options = onnxruntime.SessionOptions()
        options.intra_op_num_threads = 1
        options.add_session_config_entry("session.intra_op.allow_spinning", "0")
        self.session = onnxruntime.InferenceSession(str(path), options)

    def encode(self, picture: NDArray[np.uint8]) -> NDArray[np.float32]:
        """Decoder input rows of one picture."""
        pixels = picture.astype(np.float32).transpose(2, 0, 1)[None] / 255
        rows: NDArray[np.float32] = self.session.run(None, {"pixels": pixels})[0][0]
        return np.ascontiguousarray(rows)


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

    def prefill_images(self, frames: Sequence[NDArray[np.float32]]) -> None:
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
        self.forget_words()
        ids, said = self.prompt(question), []
        for _ in range(max_tokens):
            best = int(self.logits(ids).argmax())
            if best == self.model.token_eos():
                break
            said.append(best)
            ids = [best]
        return self.model.detokenize(said).decode(errors="replace")
