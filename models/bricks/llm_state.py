"""The decoder's state after its fixed prompt, stored on disk, so that a new process need not evaluate the
prompt.

A file is valid for one model file, one text and one context size. llama.cpp checks its own format, and the
tokens in the file are compared with the ones wanted.
"""

from __future__ import annotations

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


def state_path(model: str, text: str, n_ctx: int) -> Path:
    """Path of the state; its name is a hash of everything that the state depends on."""
    stat = os.stat(model)
    about = f"{model}\0{stat.st_size}\0{stat.st_mtime_ns}\0{n_ctx}\0{text}\0{native.LLAMA_STATE_SEQ_VERSION}"
    return cache_folder() / "states" / f"{hashlib.blake2b(about.encode(), digest_size=12).hexdigest()}.state"


def restore(context: Any, path: Path, tokens: NDArray[np.int32]) -> bool:
    """Load a stored state into an empty context; False, with an empty context, without a valid one."""
    if not path.is_file():
        return False
    found = (native.llama_token * (len(tokens) + 1))()
    count = ctypes.c_size_t(0)
    read = native.llama_state_seq_load_file(
        context, str(path).encode(), _SEQUENCE, found, len(found), ctypes.byref(count)
    )
    if read and count.value == len(tokens) and np.array_equal(np.array(found[: count.value]), tokens):
        return True
    native.llama_memory_clear(native.llama_get_memory(context), False)
    return False


def store(context: Any, path: Path, tokens: NDArray[np.int32]) -> None:
    """Store the context's state. Disk errors are ignored: the next process then evaluates the prompt."""
    part = path.with_suffix(f".{os.getpid()}.part")
    ids = (native.llama_token * len(tokens))(*tokens.tolist())
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        if native.llama_state_seq_save_file(context, str(part).encode(), _SEQUENCE, ids, len(tokens)):
            os.replace(part, path)
    except OSError:
        part.unlink(missing_ok=True)
