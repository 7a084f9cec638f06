"""People's recordings in a folder, with what is said in them: read.

FOLDER has recordings.tsv, whose lines are a WAV file, a tab, the words that are said in it and, after another
tab, who says them; the first line names these columns: `file`, `sentence`, `speaker`. Common Voice's
`path` and `client_id` are known too, and its files may lie in FOLDER/clips. Where nobody has written down the
whole sentence, a column `words` may have some of its words.
"""

from __future__ import annotations

import csv
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from hw.audio.sound_and_picture_files import MediaError, read_wav

LIST = "recordings.tsv"
WORDS = "words.tsv"
"""Beside it, where it is known when each word is said."""
_COLUMNS = {
    "file": ("file", "path"),
    "sentence": ("sentence",),
    "speaker": ("speaker", "client_id"),
    "words": ("words",),
}
_PEAK = 0.5


class Unreadable(Exception):
    """A list or a recording that cannot be used; one sentence."""


@dataclass(frozen=True)
class Recording:
    """sentence: in small letters without punctuation; "" where the headband is not meant.

    words: some that are said in it, where that is all that is known.
    """

    path: Path
    sentence: str
    speaker: str
    words: tuple[str, ...] = ()


def read_list(folder: Path) -> list[Recording]:
    """The recordings of a folder. Raises `Unreadable`."""
    path = folder / LIST
    try:
        with path.open(encoding="utf-8-sig", newline="") as file:
            rows = csv.DictReader(file, delimiter="\t", quoting=csv.QUOTE_NONE)
            named = {
                column: next((name for name in names if name in (rows.fieldnames or ())), "")
                for column, names in _COLUMNS.items()
            }
            if not named["file"] or not named["sentence"]:
                raise Unreadable(f"{path} has no columns file and sentence in its first line.")
            found = [{column: row.get(name) or "" for column, name in named.items()} for row in rows]
    except (OSError, UnicodeDecodeError) as error:
        raise Unreadable(f"{path} cannot be read: {error}.") from None
    if not found:
        raise Unreadable(f"{path} has no recording.")
    return [
        Recording(
            placed(folder, r["file"]), _plain(r["sentence"]), r["speaker"], tuple(_plain(r["words"]).split())
        )
        for r in found
    ]


def read_samples(path: Path) -> NDArray[np.float32]:
    """float32 [n] at 16 kHz, of one channel, at one level. Raises `Unreadable`."""
    try:
        samples = read_wav(path).astype(np.float32) / 32768
    except MediaError as error:
        raise Unreadable(str(error)) from None
    if not samples.any():
        raise Unreadable(f"{path} has no sound in it.")
    return np.asarray(samples * (_PEAK / np.abs(samples).max()), np.float32)


def placed(folder: Path, name: str) -> Path:
    """Where a file of the list lies."""
    path = folder / name
    return path if path.exists() else folder / "clips" / name


def _plain(sentence: str) -> str:
    kept = (c if c.isalnum() or c == "'" else " " for c in sentence.lower().replace("\u2019", "'"))
    return " ".join("".join(kept).split())
