"""Spectrogram shards of the recogniser's training data, made once and kept in a cache folder.

`python -m models.train.recogniser.shards --out DIR --split train --first 0 --count 30` writes
DIR/train-0000.npz and so on. A shard is a pure function of its split and number.
"""

from __future__ import annotations

import argparse
import json
import os
import time
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from models.train.sound.mel import log_mel

CLIPS_PER_SHARD = 1000
PEOPLE_EVERY = 3
"""Every so many training shards one is of people's recordings, where there are any."""
WINDOWS = (128, 192, 256)
"""Lengths of the encoder's input in the application, in encoder positions: 2.56, 3.84 and 5.12 s."""


def window_for(frames: int) -> int:
    """The smallest window, in encoder positions, that holds the spectrogram frames of a clip."""
    return next((w for w in WINDOWS if 2 * w >= frames), WINDOWS[-1])


@dataclass(frozen=True)
class Example:
    """A clip. mel: float16 [frames, 80]; silence: value of all frames after these; text: its transcript."""

    mel: np.ndarray
    silence: float
    text: str
    family: str


def shard_path(folder: Path, split: str, number: int) -> Path:
    """The path of a shard."""
    return folder / f"{split}-{number:04d}.npz"


def make_shard(
    generator: object, folder: Path, split: str, number: int, count: int = CLIPS_PER_SHARD
) -> None:
    """Synthesise and store one shard, atomically; another process may make the same at the same time."""
    clips = generator.clips(number, count)  # type: ignore[attr-defined]
    mels, silences = zip(*(log_mel(clip.pcm) for clip in clips), strict=True)
    about = [{"text": clip.text, "family": clip.family} for clip in clips]
    temporary = folder / f"{split}-{number:04d}.{os.getpid()}.part.npz"
    np.savez(
        temporary,
        mel=np.concatenate(mels).astype(np.float16),
        frames=np.array([len(mel) for mel in mels]),
        silence=np.array(silences, np.float32),
        about=json.dumps(about),
    )
    os.replace(temporary, shard_path(folder, split, number))


def load_shard(folder: Path, split: str, number: int, wait_s: float = 900.0) -> list[Example]:
    """Read a shard; waits up to `wait_s` for the process that makes it, then raises TimeoutError."""
    path = shard_path(folder, split, number)
    deadline_s = time.monotonic() + wait_s
    while not path.exists():
        if time.monotonic() > deadline_s:
            raise TimeoutError(f"{path} was not made in {wait_s:.0f} s")
        time.sleep(1.0)
    with np.load(path) as stored:
        mel, frames, silence = stored["mel"], stored["frames"], stored["silence"]
        about = json.loads(str(stored["about"]))
    ends = np.cumsum(frames)
    return [
        Example(mel[end - n : end], float(quiet), item["text"], item["family"])
        for end, n, quiet, item in zip(ends, frames, silence, about, strict=True)
    ]


def main() -> None:
    """Make the shards that are missing."""
    parser = argparse.ArgumentParser(description=main.__doc__)
    parser.add_argument("--out", type=Path, required=True)
    parser.add_argument("--split", choices=("train", "validation", "test"), default="train")
    parser.add_argument("--first", type=int, default=0)
    parser.add_argument("--count", type=int, default=1)
    parser.add_argument("--step", type=int, default=1, help="make every STEPth shard only")
    parser.add_argument(
        "--recorded",
        type=float,
        default=0.0,
        metavar="SHARE",
        help="so many training clips in recorded voices",
    )
    parser.add_argument(
        "--people",
        type=Path,
        metavar="FOLDER",
        help="every third training shard is of the recordings that its recordings.tsv lists "
        "(models/train/sound/people/recordings.py)",
    )
    options = parser.parse_args()
    from models.train.sound.people.clips import PeopleClips
    from models.train.sound.people.recordings import Unreadable
    from models.train.sound.utterances import ClipGenerator

    options.out.mkdir(parents=True, exist_ok=True)
    os.nice(7)  # training, which runs at the same time, goes first
    generator = ClipGenerator(options.split, options.recorded)
    people: ClipGenerator | PeopleClips = generator
    if options.people and options.split == "train":
        try:
            people = PeopleClips(options.people)
        except Unreadable as error:
            parser.error(str(error))
    for number in range(options.first, options.first + options.count, options.step):
        if not shard_path(options.out, options.split, number).exists():
            started_s = time.monotonic()
            make_shard(generator if number % PEOPLE_EVERY else people, options.out, options.split, number)
            print(f"{options.split} {number}: {time.monotonic() - started_s:.1f} s", flush=True)


if __name__ == "__main__":
    main()
