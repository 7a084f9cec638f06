"""whisper.cpp on noise: MODEL SAMPLES THREADS POSITIONS:TOKENS... A region for loading, and one for each
window of so many positions, in which it writes at most so many tokens.
"""

from __future__ import annotations

import sys

from marks import counted  # type: ignore[import-not-found]  # beside it where it runs


def main(model: str, samples: str, threads: str, *windows: str) -> None:
    """Runs each once, with the settings of the brick for speech to text."""
    import _pywhispercpp as native
    import numpy as np

    pcm = (0.1 * np.random.default_rng(1).standard_normal(int(samples))).astype(np.float32)
    how = native.whisper_context_default_params()
    how.flash_attn = how.use_gpu = False
    with counted():
        loaded = native.whisper_init_from_file_with_params(model, how)
    settings = native.whisper_full_default_params(native.whisper_sampling_strategy.WHISPER_SAMPLING_GREEDY)
    for name in ("no_timestamps", "single_segment", "no_context"):
        setattr(settings, name, True)
    for name in ("suppress_blank", "print_progress", "print_realtime", "print_timestamps", "print_special"):
        setattr(settings, name, False)
    settings.language, settings.temperature_inc = "en", 0.0
    settings.n_threads = int(threads)
    for window in windows:
        settings.audio_ctx, settings.max_tokens = map(int, window.split(":"))
        with counted():
            failed = native.whisper_full(loaded, settings, pcm, pcm.size)
        if failed:
            sys.exit(f"whisper.cpp does not run {model}")


if __name__ == "__main__":
    main(*sys.argv[1:])
