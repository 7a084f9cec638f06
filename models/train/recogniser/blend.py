"""Means of two recognisers' weights, of which the one that mishears least on validation clips is taken.

    python -m models.train.recogniser.blend OLD NEW --out FOLDER [--shares 0.5 0.75 1]

OLD and NEW are stt.bin files, of which NEW was trained from OLD (`models.train.recogniser.train --from`). A
share is the part of NEW in the mean. Training on new sentences makes a model forget some of what it knew;
between the two it often keeps most of both (Wortsman et al. 2022, "Model soups"). Writes FOLDER/stt.bin.
"""

from __future__ import annotations

import argparse
import os
from collections.abc import Mapping
from pathlib import Path

import numpy as np

from models.bricks.whisper_file import check_whisper_file
from models.convert.recogniser.ggml import read_tensors, write_whisper_file
from models.train.recogniser.evaluate import fixed_clips, transcribed, word_error
from models.train.recogniser.grow import grown
from models.train.recogniser.in_process import InProcessRecogniser
from models.train.recogniser.shards import WINDOWS
from models.train.sound.whisper_assets import mel_filters, vocabulary

_WORDS = "decoder.token_embedding.weight"
MOST_TOKENS = 24


def blended(
    old: Mapping[str, np.ndarray], new: Mapping[str, np.ndarray], share: float
) -> dict[str, np.ndarray]:
    """The mean of two models' tensors; rows of tokens that the old one does not use are the new one's."""
    mean = {name: share * value + (1.0 - share) * old[name] for name, value in new.items()}
    unused = ~np.any(old[_WORDS], axis=1)
    mean[_WORDS][unused] = new[_WORDS][unused]
    return mean


def main() -> None:
    """Makes the means, measures each, keeps the best."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("old", type=Path)
    parser.add_argument("new", type=Path)
    parser.add_argument("--out", type=Path, required=True)
    parser.add_argument("--shares", type=float, nargs="+", default=[0.5, 0.75, 1.0])
    parser.add_argument("--questions", type=int, default=1500)
    options = parser.parse_args()
    header = check_whisper_file(options.new).header
    old, new = grown(read_tensors(options.old), header.n_audio_layer), read_tensors(options.new)
    clips = fixed_clips("validation", options.questions, 0, 0)
    options.out.mkdir(parents=True, exist_ok=True)
    tried, best = options.out / "tried.bin", float("inf")
    for share in options.shares:
        write_whisper_file(tried, header, mel_filters(), vocabulary(), blended(old, new, share))
        settings = {"model": str(tried), "audio_ctx": WINDOWS, "max_tokens": MOST_TOKENS}
        recogniser = InProcessRecogniser(settings)
        found = word_error([transcribed(recogniser, clip) for clip in clips])
        recogniser.close()
        wrong = found["word_error"]
        print(f"{share:.2f} new: word error {wrong:.2%}, heard exactly {found['exact']:.1%}", flush=True)
        if wrong < best:
            best = wrong
            os.replace(tried, options.out / "stt.bin")
    tried.unlink(missing_ok=True)


if __name__ == "__main__":
    main()
