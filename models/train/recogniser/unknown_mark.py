"""How readily a recogniser writes the mark for unknown words, set anew without training.

    python -m models.train.recogniser.unknown_mark OLD --out FOLDER [--lower 0 1 2 3]

OLD is a stt.bin. In recordings of people who read aloud every sixth word is outside the vocabulary; of what
is said to a headband hardly one is. A recogniser that learned from the first writes the mark too often, for
names above all. So the mark's logit is lowered by a constant, the logarithm of the ratio of the two shares
(Saerens et al. 2002, "Adjusting the outputs of a classifier to new a priori probabilities"). Whisper has no
bias for a token: the bias of the decoder's last normalisation moves in the direction that lowers the mark and
changes the logits of all other tokens least. The constant is the one with the fewest words wrong on
validation clips, of those with which at least `OTHERS` of other speech is still refused. Writes
FOLDER/stt.bin.
"""

from __future__ import annotations

import argparse
import os
import tomllib
from collections.abc import Mapping
from pathlib import Path

import numpy as np

from models.brick import UNKNOWN_WORD
from models.bricks.whisper_file import check_whisper_file
from models.convert.recogniser.ggml import read_tensors, write_whisper_file
from models.train.recogniser.evaluate import fixed_clips, refused, transcribed
from models.train.recogniser.in_process import InProcessRecogniser
from models.train.recogniser.shards import WINDOWS
from models.train.recogniser.word_error import word_errors
from models.train.sound.whisper_assets import encode, mel_filters, vocabulary

OTHERS = 0.9
"""Share of other speech that has to be refused."""
_WORDS, _BIAS = "decoder.token_embedding.weight", "decoder.ln.bias"
_RIDGE = 1e-4


def lowered(tensors: Mapping[str, np.ndarray], token: int, by: float) -> dict[str, np.ndarray]:
    """The tensors with the logit of a token lower by `by`, and the others as near as can be."""
    words = tensors[_WORDS].astype(np.float64)
    used, mark = words[np.any(words, axis=1)], words[token]
    across = np.linalg.solve(used.T @ used + _RIDGE * np.eye(used.shape[1]), mark)
    move = -by * across / (mark @ across)
    return {**tensors, _BIAS: (tensors[_BIAS] + move).astype(np.float32)}


def main() -> None:
    """Makes one for each constant, measures it, keeps the best."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("old", type=Path, help="a stt.bin, beside its pack's pack.toml")
    parser.add_argument("--out", type=Path, required=True)
    parser.add_argument("--lower", type=float, nargs="+", default=[0.0, 1.0, 2.0, 3.0], help="of the logit")
    parser.add_argument("--questions", type=int, default=900)
    parser.add_argument("--others", type=int, default=400)
    options = parser.parse_args()
    header, tensors = check_whisper_file(options.old).header, read_tensors(options.old)
    mark = encode(f"a {UNKNOWN_WORD}")[-1]
    doubtful_below = _doubtful_below(options.old.with_name("pack.toml"))
    clips = fixed_clips("validation", options.questions, options.others, 0)
    options.out.mkdir(parents=True, exist_ok=True)
    tried, best = options.out / "tried.bin", float("inf")
    for by in options.lower:
        write_whisper_file(tried, header, mel_filters(), vocabulary(), lowered(tensors, mark, by))
        recogniser = InProcessRecogniser({"model": str(tried), "audio_ctx": WINDOWS, "max_tokens": 24})
        heard = [transcribed(recogniser, clip) for clip in clips]
        recogniser.close()
        asked = [each for each in heard if each.clip.family != "other speech"]
        others = [refused(each, doubtful_below) for each in heard if each.clip.family == "other speech"]
        errors = sum(word_errors(each.clip.text, each.text) for each in asked)
        wrong = errors / sum(len(each.clip.text.split()) for each in asked)
        marked = sum(UNKNOWN_WORD in each.text for each in asked) / len(asked)
        share = sum(others) / len(others)
        print(f"lower by {by:g}: {wrong:.2%} of the words wrong, the mark in {marked:.1%} of the questions, "
              f"{share:.1%} of other speech refused", flush=True)  # fmt: skip
        if wrong < best and share >= OTHERS:
            best = wrong
            os.replace(tried, options.out / "stt.bin")
    tried.unlink(missing_ok=True)


def _doubtful_below(manifest: Path) -> float:
    settings = tomllib.loads(manifest.read_text(encoding="utf-8"))["brick"]["stt"]["settings"]
    return float(settings["doubtful_below"])


if __name__ == "__main__":
    main()
