"""A GGUF model in llama.cpp: MODEL LIBRARY PROMPT REPACK THREADS. Three regions: reading PROMPT tokens at
once, writing the next, and loading the model again. REPACK: 1, weights in the processor's order; 0, in the
file's, mapped.
"""

from __future__ import annotations

import ctypes
import importlib
import sys
import types

from marks import counted  # type: ignore[import-not-found]  # beside it where it runs


def main(model: str, package: str, prompt: str, repack: str, threads: str) -> None:
    """Runs each once. package: folder with llama_cpp, whose __init__ would import much that is not needed."""
    bare = types.ModuleType("llama_cpp")
    bare.__path__ = [f"{package}/llama_cpp"]
    sys.modules["llama_cpp"] = bare
    native = importlib.import_module("llama_cpp.llama_cpp")

    native.llama_backend_init()
    how = native.llama_model_default_params()
    how.use_extra_bufts = repack == "1"
    how.load_mode = native.LLAMA_LOAD_MODE_NONE if how.use_extra_bufts else native.LLAMA_LOAD_MODE_MMAP
    loaded = native.llama_model_load_from_file(model.encode(), how)
    if not loaded:
        sys.exit(f"llama.cpp does not load {model}")
    settings = native.llama_context_default_params()
    settings.n_ctx = 1024
    settings.n_batch = settings.n_ubatch = 256
    settings.n_threads = settings.n_threads_batch = int(threads)
    context = native.llama_init_from_model(loaded, settings)
    for count in (int(prompt), 1):
        tokens = (native.llama_token * count)(*range(5, 5 + count))
        batch = native.llama_batch_get_one(ctypes.cast(tokens, ctypes.POINTER(native.llama_token)), count)
        with counted():
            failed = native.llama_decode(context, batch)
        if failed:
            sys.exit(f"llama.cpp does not run {model}")
    with counted():
        native.llama_model_load_from_file(model.encode(), how)


if __name__ == "__main__":
    main(*sys.argv[1:])
