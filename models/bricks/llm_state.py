"""The decoder's state after its fixed prompt, stored on disk, so that a new process need not evaluate the
prompt.

A file is valid for one model file, one text and one context size. It begins with a digest of the prompt's
tokens and of the state behind it, because llama.cpp ends the process on a state that is cut short or damaged:
it is given only what is whole, and of this very prompt.
"""

from __future__ import annotations

import contextlib
import ctypes
import hashlib
import os
from pathlib import Path
from typing import Any

import numpy as np
from llama_cpp import llama_cpp as native
from numpy.typing import NDArray

from models.pack.cache import cache_folder

_SEQUENCE = 0
_DIGEST_BYTES = 32


def state_path(model: str, text: str, n_ctx: int) -> Path:
    """Path of the state; its name is a hash of everything that the state depends on."""
    stat = os.stat(model)
    about = f"{model}\0{stat.st_size}\0{stat.st_mtime_ns}\0{n_ctx}\0{text}\0{native.LLAMA_STATE_SEQ_VERSION}"
    return cache_folder() / "states" / f"{hashlib.blake2b(about.encode(), digest_size=12).hexdigest()}.state"


def state_of(context: Any) -> bytes:
    """A copy of what the context holds."""
    size = native.llama_state_seq_get_size(context, _SEQUENCE)
    data = (ctypes.c_uint8 * size)()
    return ctypes.string_at(data, native.llama_state_seq_get_data(context, data, size, _SEQUENCE))


def set_state(context: Any, state: bytes) -> bool:
    """Have an empty context hold a whole state; where that is false it does not fit, and what the context
    holds is not valid.
    """
    data = (ctypes.c_uint8 * len(state)).from_buffer_copy(state)
    return bool(native.llama_state_seq_set_data(context, data, len(state), _SEQUENCE))


def restore(context: Any, path: Path, tokens: NDArray[np.int32]) -> bool:
    """Load a stored state into an empty context; False, with an empty context, without a valid one."""
    try:
        stored = path.read_bytes() if path.is_file() else b""
    except OSError:
        return False
    state = stored[_DIGEST_BYTES:]
    if not state or stored[:_DIGEST_BYTES] != _digest(tokens, state):
        return False
    if set_state(context, state):
        return True
    native.llama_memory_clear(native.llama_get_memory(context), False)
    return False


def store(context: Any, path: Path, tokens: NDArray[np.int32]) -> None:
    """Store the context's state, synced to the disk. Disk errors are ignored: the next process then evaluates
    the prompt.
    """
    state, folder = state_of(context), path.parent
    part = path.with_suffix(f".{os.getpid()}.part")
    with contextlib.suppress(OSError):
        folder.mkdir(parents=True, exist_ok=True)
        _remove_unfinished(folder)
        try:
            with part.open("wb") as file:
                file.write(_digest(tokens, state) + state)
                file.flush()
                os.fsync(file.fileno())
            part.replace(path)
        finally:
            part.unlink(missing_ok=True)
        descriptor = os.open(folder, os.O_RDONLY | os.O_DIRECTORY)
        try:
            os.fsync(descriptor)
        finally:
            os.close(descriptor)


def _digest(tokens: NDArray[np.int32], state: bytes) -> bytes:
    return hashlib.blake2b(tokens.tobytes() + state, digest_size=_DIGEST_BYTES).digest()


def _remove_unfinished(folder: Path) -> None:
    """Remove what processes left that ended while they wrote a state. One that still writes only loses its
    file, which the next process writes again.
    """
    for part in folder.glob("*.part"):
        part.unlink(missing_ok=True)
