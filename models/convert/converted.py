"""Runs converted files in the headband's runtimes, to compare them with the original."""

from __future__ import annotations

import ctypes
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np
import onnxruntime as ort
from llama_cpp import llama_cpp as native
from numpy.typing import NDArray

from models.bricks.llm import _warnings_only
from models.convert.checkpoint.folder import ConvertError

_BATCH = 256


def run_graph(path: Path, inputs: Sequence[NDArray[Any]], threads: int = 1) -> list[NDArray[np.float32]]:
    """The output of one graph for each input."""
    options = ort.SessionOptions()
    options.intra_op_num_threads = threads
    options.log_severity_level = 4
    options.add_session_config_entry("session.intra_op.allow_spinning", "0")
    session = ort.InferenceSession(str(path), options, providers=["CPUExecutionProvider"])
    name = session.get_inputs()[0].name
    return [np.asarray(session.run(None, {name: x})[0]) for x in inputs]


def run_onnx(paths: Sequence[Path], x: NDArray[np.float32], threads: int = 1) -> list[NDArray[np.float32]]:
    """The outputs of a sequence of graphs, each of which gets the output of the one before."""
    results = []
    for path in paths:
        (x,) = run_graph(path, [x], threads)
        results.append(x)
    return results


class ConvertedDecoder:
    """A GGUF file under llama.cpp, with the KV cache in float16, or with `exact` all in float32. Raises
    ConvertError where llama.cpp refuses the file.
    """

    def __init__(self, path: Path, positions: int, *, exact: bool = False, threads: int = 1) -> None:
        native.llama_log_set(_warnings_only, None)
        native.llama_backend_init()
        params = native.llama_model_default_params()
        params.use_extra_bufts = False
        self._model = native.llama_model_load_from_file(str(path).encode(), params)
        if not self._model:
            raise ConvertError(f"llama.cpp can't use {path}.")
        sizes = native.llama_context_default_params()
        sizes.n_ctx, sizes.n_batch, sizes.n_ubatch = positions, _BATCH, _BATCH
        if exact:
            sizes.type_k = sizes.type_v = native.GGML_TYPE_F32
            sizes.flash_attn_type = native.LLAMA_FLASH_ATTN_TYPE_DISABLED
        sizes.n_threads = sizes.n_threads_batch = threads
        self._context = native.llama_init_from_model(self._model, sizes)
        if not self._context:
            raise ConvertError(f"llama.cpp has no memory for {positions} positions of {path}.")
        self._vocab = native.llama_model_get_vocab(self._model)
        self._n_vocab = native.llama_vocab_n_tokens(self._vocab)

    def close(self) -> None:
        """Free the model."""
        native.llama_free(self._context)
        native.llama_model_free(self._model)

    def ids(self, text: str) -> list[int]:
        """Token ids of a text with control tokens, as the llm brick tokenises it."""
        data = text.encode()
        ids = (native.llama_token * (len(data) + 8))()
        count = native.llama_tokenize(self._vocab, data, len(data), ids, len(ids), False, True)
        return list(ids[:count])

    def logits(self, ids: Sequence[int]) -> NDArray[np.float32]:
        """[n, vocabulary]: the logits after each token, from an empty KV cache."""
        self._forget()
        found = []
        for token in ids:
            self._tokens([token])
            found.append(self._last())
        return np.stack(found)

    def answer(
        self, before: Sequence[int], rows: NDArray[np.float32], after: Sequence[int]
    ) -> NDArray[np.float32]:
        """[vocabulary]: the logits after text, a picture's rows as input embeddings, and text."""
        self._forget()
        self._tokens(before)
        for start in range(0, len(rows), _BATCH):
            part = np.ascontiguousarray(rows[start : start + _BATCH], np.float32)
            pointer = part.ctypes.data_as(ctypes.POINTER(ctypes.c_float))
            self._decode(native.llama_batch(n_tokens=len(part), embd=pointer))
        self._tokens(after)
        return self._last()

    def _forget(self) -> None:
        native.llama_memory_clear(native.llama_get_memory(self._context), True)

    def _tokens(self, ids: Sequence[int]) -> None:
        for start in range(0, len(ids), _BATCH):
            part = np.asarray(ids[start : start + _BATCH], np.int32)
            pointer = part.ctypes.data_as(ctypes.POINTER(native.llama_token))
            self._decode(native.llama_batch(n_tokens=len(part), token=pointer))

    def _decode(self, batch: object) -> None:
        status = native.llama_decode(self._context, batch)
        if status:
            raise ConvertError(f"llama.cpp could not decode what it was given (code {status}).")

    def _last(self) -> NDArray[np.float32]:
        pointer = native.llama_get_logits_ith(self._context, -1)
        return np.ctypeslib.as_array(pointer, (self._n_vocab,)).copy()
