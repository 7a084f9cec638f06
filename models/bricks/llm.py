"""Answers: llama.cpp, with image rows as input embeddings of the decoder.

A prompt is fixed text, pictures, question. The KV cache of fixed text and pictures is kept, so after a
`Prefill` during the question, or for a second question about the same picture, only the question is
evaluated. The state after the fixed text is also stored on disk (`llm_state`).

Files: `model`. Settings: `n_ctx`, `n_batch` (more rows than this, or than the context holds, in one call end
the process, so rows are fed in pieces), `before_images`, `between_images` and `prompt` (text with control
tokens; `{question}` is replaced, and `{history}` by as many of the last turns, each written as `turn` says,
as `history_tokens` hold), `text_prompt` (the whole prompt of a question without a picture, where that is not
`before_images` and `prompt`), `unicode_form` (llama.cpp itself normalises no text), `answer_tokens` (0: until
the model ends its answer; above 0: exactly so many, which makes the cost of a pack comparable), `repack`
(quantised weights in the processor's order: faster prompts; off unless set where this llama.cpp was built
with AMX, whose tiles then end the process), `mmap` (map the file instead of reading it; with `repack` most
weights are then in memory twice).
"""

from __future__ import annotations

import codecs
import ctypes
import os
import sys
import unicodedata
from collections.abc import Iterator, Mapping
from typing import Any

import numpy as np
from llama_cpp import llama_cpp as native
from numpy.typing import NDArray

from models.brick import (
    BrickError,
    Cancelled,
    Completion,
    Context,
    Embedding,
    Prefill,
    Prefilled,
    Prompt,
    TextPiece,
)
from models.bricks.llm_memory import PrefixCache
from models.bricks.llm_state import restore, state_path, store
from models.bricks.threads import threads_for
from models.process.child_main import free_model_memory

NICENESS = 10
"""Lower priority than recogniser and voice: the wearer waits for their results first."""
MAX_REPEATS = 5
"""A decoder that repeats one token this often in a row does not stop repeating it."""
REPETITION_MESSAGE = "I do not know what to say to that."
_ABORTED = 2
"""llama_decode's status after the abort callback returned true."""
_CONTROL = dict.fromkeys(c for c in (*range(0x20), *range(0x7F, 0xA0)) if chr(c) not in "\t\n\r")
"""For `str.translate`: control characters, which a decoder may emit byte by byte and no voice accepts."""


def _has_amx() -> bool:
    """True where llama.cpp was built with AMX tiles."""
    return b"AMX_INT8 = 1" in native.llama_print_system_info()


class AbortFlag:
    """An abort callback for llama.cpp that runs no Python code.

    llama.cpp calls it between graph nodes, from threads without the interpreter lock. libc's `strlen`
    of a one-byte string is such a callback: 0 while the byte is zero, 1 once it is set.
    """

    def __init__(self) -> None:
        self._text = ctypes.create_string_buffer(2)
        address = ctypes.cast(ctypes.CDLL(None).strlen, ctypes.c_void_p).value or 0
        self.callback = native.ggml_abort_callback(address)
        self.data = ctypes.cast(self._text, ctypes.c_void_p)

    def set(self) -> None:
        self._text[0] = b"x"

    def clear(self) -> None:
        self._text[0] = b"\0"


@native.llama_log_callback
def _warnings_only(level: int, text: bytes, _: Any) -> None:
    """Print warnings and errors to standard error; its last line is reported when the process dies."""
    if level in (3, 4):
        print(text.decode(errors="replace"), end="", file=sys.stderr, flush=True)


def plain(text: str) -> str:
    """The text without control characters other than line ends and tabs."""
    return text.translate(_CONTROL)


class Decoder:
    """One GGUF model. Requests are `Prompt`, answered by `TextPiece`s and one `Completion`, and `Prefill`,
    answered by one `Prefilled`.
    """

    def __init__(self, options: Mapping[str, Any], context: Context) -> None:
        self._options = options
        self._context = context
        self._model: Any = None
        self._native: Any = None
        self._abort = AbortFlag()
        self._fixed_threads = 0

    def load(self) -> None:
        os.nice(NICENESS)
        native.llama_log_set(_warnings_only, None)
        native.llama_backend_init()
        model_params = native.llama_model_default_params()
        model_params.use_extra_bufts = bool(self._options.get("repack", not _has_amx()))
        mmap = bool(self._options.get("mmap", not model_params.use_extra_bufts))
        model_params.load_mode = native.LLAMA_LOAD_MODE_MMAP if mmap else native.LLAMA_LOAD_MODE_NONE
        path = str(self._options["model"])
        self._model = native.llama_model_load_from_file(path.encode(), model_params)
        if not self._model:
            raise BrickError(f"llama.cpp can't use {path}.")
        params = native.llama_context_default_params()
        params.n_ctx = int(self._options.get("n_ctx", 512))
        params.n_batch = params.n_ubatch = int(self._options.get("n_batch", 256))
        self._fixed_threads = threads_for(os.stat(path).st_size)
        params.n_threads = params.n_threads_batch = self._threads
        params.no_perf = True
        self._native = native.llama_init_from_model(self._model, params)
        if not self._native:
            raise BrickError(f"llama.cpp has no memory for a context of {params.n_ctx} tokens.")
        native.llama_set_abort_callback(self._native, self._abort.callback, self._abort.data)
        self._n_ctx = native.llama_n_ctx(self._native)
        self._n_batch = native.llama_n_batch(self._native)
        self._width = native.llama_model_n_embd_inp(self._model)
        self._vocab = native.llama_model_get_vocab(self._model)
        self._n_vocab = native.llama_vocab_n_tokens(self._vocab)
        self._barred = self._ends() if self._options.get("answer_tokens") else []
        self._before = self.tokens(self._options.get("before_images", ""))
        self._between = self.tokens(self._options.get("between_images", ""))
        self._memory = PrefixCache(self._native, self._before, self._between, self, self._context.ring)
        self._prefill_fixed_text(path)

    @property
    def _threads(self) -> int:
        """One for a small model, else as many as the brick may use now."""
        return self._fixed_threads or self._context.threads

    def execute(self, request: Prompt | Prefill) -> Iterator[TextPiece | Completion | Prefilled]:
        self._abort.clear()
        self._context.on_cancel = self._abort.set
        try:
            native.llama_set_n_threads(self._native, self._threads, self._threads)
            if isinstance(request, Prefill):
                self._check_length(request.images, 0)
                if request.state and len(request.images) == 1:
                    yield from self._memory.prefill_in_steps(request.images[0])
                else:
                    yield Prefilled(self._memory.prefill(request.images, keep=True))
            else:
                n_prompt = self._feed_prompt(request)
                yield from self._generate(request, n_prompt)
        finally:
            self._context.on_cancel = None

    def release(self) -> None:
        if self._native:
            native.llama_free(self._native)
        if self._model:
            native.llama_model_free(self._model)
        self._native = self._model = None
        free_model_memory()

    def tokens(self, text: str) -> NDArray[np.int32]:
        """Token ids of a text; control tokens written out in it are recognised."""
        form = self._options.get("unicode_form", "")
        data = (unicodedata.normalize(form, text) if form else text).encode()
        ids = (native.llama_token * (len(data) + 8))()
        count = native.llama_tokenize(self._vocab, data, len(data), ids, len(ids), False, True)
        if count < 0:
            raise BrickError("The question has too many tokens.")
        return np.array(ids[:count], np.int32)

    def _feed_prompt(self, request: Prompt) -> int:
        """Evaluate the prompt; returns its length in positions."""
        alone = "" if request.images else self._options.get("text_prompt", "")
        template = alone or self._options.get("prompt", "<|q|>{question}<|a|>")
        template = template.replace("{history}", self._history(request.history))
        question = self.tokens(template.replace("{question}", request.question))
        length = self._check_length(request.images, len(question), alone=bool(alone))
        if alone:
            self._memory.clear()
        else:
            self._memory.prefill(request.images, keep=request.keep, ahead=request.ahead)
        self.feed_tokens(question)
        return length

    def _history(self, turns: tuple[tuple[str, str], ...]) -> str:
        """The last turns that fit into `history_tokens`."""
        budget, template = int(self._options.get("history_tokens", 0)), self._options.get("turn", "")
        text = ""
        for question, answer in reversed(turns if budget and template else ()):
            more = template.replace("{question}", question).replace("{answer}", answer) + text
            if len(self.tokens(more)) > budget:
                break
            text = more
        return text

    def _check_length(self, images: tuple[Embedding, ...], n_question: int, *, alone: bool = False) -> int:
        """Length of a prompt in positions. alone: nothing stands before the question. Raises BrickError when
        the context is too small.
        """
        length = (0 if alone else len(self._before)) + n_question
        length += sum(self._rows_of(image) for image in images)
        length += len(self._between) * max(0, len(images) - 1)
        if length + 1 > self._n_ctx:
            raise BrickError(f"The prompt has {length} tokens; this decoder holds {self._n_ctx}.")
        return length

    def _prefill_fixed_text(self, model: str) -> None:
        """Fill the KV cache with the fixed text: from disk, else by evaluation."""
        if not len(self._before):
            return
        path = state_path(model, self._options["before_images"], self._n_ctx)
        if restore(self._native, path, self._before):
            self._memory.mark_prefix_restored()
        else:
            self._memory.prefill((), keep=True)
            store(self._native, path, self._before)

    def _generate(self, request: Prompt, n_prompt: int) -> Iterator[TextPiece | Completion]:
        """Decode greedily, yielding each piece of text."""
        fixed = int(self._options.get("answer_tokens", 0))
        limit = min(fixed or request.max_tokens, self._n_ctx - n_prompt)
        utf8 = codecs.getincrementaldecoder("utf-8")("replace")
        text, count = "", 0
        last, times = -1, 0
        least = of_piece = 1.0
        while count < limit:
            token, probability = self._best_token()
            if native.llama_vocab_is_eog(self._vocab, token):
                break
            count += 1
            least, of_piece = min(least, probability), min(of_piece, probability)
            last, times = token, times + 1 if token == last else 1
            if times >= MAX_REPEATS and not fixed:
                raise BrickError(REPETITION_MESSAGE)
            piece = plain(utf8.decode(self._piece(token)))
            if piece:
                text += piece
                yield TextPiece(piece, of_piece)
                of_piece = 1.0
            if self._context.cancelled():
                raise Cancelled
            if count < limit:
                self.feed_tokens(np.array([token], np.int32))
        yield Completion(text.strip(), n_prompt, count, least)

    def _ends(self) -> list[int]:
        """The tokens that end an answer; each of the vocabulary is asked about."""
        return [each for each in range(self._n_vocab) if native.llama_vocab_is_eog(self._vocab, each)]

    def _best_token(self) -> tuple[int, float]:
        """The most probable next token, and its probability."""
        pointer = native.llama_get_logits_ith(self._native, -1)
        logits = np.ctypeslib.as_array(pointer, (self._n_vocab,))
        logits[self._barred] = -np.inf
        best = int(logits.argmax())
        return best, float(1.0 / np.exp(logits - logits[best]).sum())

    def _piece(self, token: int) -> bytes:
        buffer = ctypes.create_string_buffer(64)
        size = native.llama_token_to_piece(self._vocab, token, buffer, len(buffer), 0, False)
        if size < 0:
            buffer = ctypes.create_string_buffer(-size)
            size = native.llama_token_to_piece(self._vocab, token, buffer, len(buffer), 0, False)
        return buffer.raw[:size]

    def _rows_of(self, image: Embedding) -> int:
        if image.rows is not None:
            return len(image.rows)
        return image.slot.tokens if image.slot is not None else 0

    def feed_rows(self, rows: NDArray[np.float32]) -> None:
        """Image rows, float32 [n, width], as the next positions. Raises BrickError, Cancelled."""
        if rows.ndim != 2 or rows.shape[1] != self._width:
            raise BrickError(
                f"The picture's rows are {rows.shape}; this decoder takes rows of {self._width}."
            )
        for start in range(0, len(rows), self._n_batch):
            part = rows[start : start + self._n_batch]
            pointer = part.ctypes.data_as(ctypes.POINTER(ctypes.c_float))
            self._decode(native.llama_batch(n_tokens=len(part), embd=pointer))

    def feed_tokens(self, tokens: NDArray[np.int32]) -> None:
        """Tokens as the next positions. Raises BrickError, Cancelled."""
        for start in range(0, len(tokens), self._n_batch):
            part = np.ascontiguousarray(tokens[start : start + self._n_batch])
            pointer = part.ctypes.data_as(ctypes.POINTER(native.llama_token))
            self._decode(native.llama_batch(n_tokens=len(part), token=pointer))

    def _decode(self, batch: Any) -> None:
        status = native.llama_decode(self._native, batch)
        if status == _ABORTED or self._context.cancelled():
            raise Cancelled
        if status != 0:
            raise BrickError(f"llama.cpp could not decode the prompt (code {status}).")


def create(options: Mapping[str, Any], context: Context) -> Decoder:
    """The brick, not yet loaded."""
    return Decoder(options, context)
