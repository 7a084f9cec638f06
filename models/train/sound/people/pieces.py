"""Cuts long recordings into pieces of whole words that fit into a training clip.

    python -m models.train.sound.people.pieces --data FOLDER --out PIECES

FOLDER has the list of `models.train.sound.people.recordings`; PIECES gets one too, and words.tsv with the
times of their words. PocketSphinx (BSD; its English acoustic model comes with it) says when each word is
said. A piece ends at the last pause that leaves it short enough; where there is none, between two words.
"""

from __future__ import annotations

import argparse
import sys
import wave
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from models.brick import MICROPHONE_RATE_HZ
from models.train.sound.people.recordings import LIST, WORDS, Unreadable, read_list, read_samples

FRAME_S = 0.01
"""The aligner's step."""
LONGEST, SHORTEST = 460, 120
"""Frames of speech in a piece; a shorter one ends only at a long pause, or where the recording does."""
PAUSE, LONG_PAUSE = 7, 60
"""Frames between two words that are a pause, and one at which a piece always ends."""
MARGIN = 8
"""Frames of a pause that stay with a piece."""
_SOUND_OF_LETTER = dict(
    zip(
        "abcdefghijklmnopqrstuvwxyz",
        "AE B K D EH F G HH IH JH K L M N AA P K R S T AH V W K Y Z".split(),
        strict=True,
    )
)
"""Of a word that the aligner's dictionary lacks: near enough to find where it lies between its neighbours."""
_DITHER = 1e-3
"""Faint noise, without which the aligner makes nothing of digital silence."""
_NO_WORDS = ("<s>", "</s>", "<sil>", "[NOISE]", "[SPEECH]")


@dataclass(frozen=True)
class Word:
    """A word, and the frames from its first to after its last."""

    text: str
    start: int
    end: int


class Aligner:
    """Says when the words of a sentence are said. Raises `Unreadable` where PocketSphinx is not installed."""

    def __init__(self) -> None:
        try:
            import pocketsphinx
        except ImportError:
            raise Unreadable("PocketSphinx is not installed; requirements-dev.lock has it.") from None
        model = pocketsphinx.get_model_path
        self._decoder: Any = pocketsphinx.Decoder(
            hmm=model("en-us/en-us"),
            dict=model("en-us/cmudict-en-us.dict"),
            lm=None,
            loglevel="FATAL",
        )

    def words(self, sentence: str, samples: NDArray[np.float32]) -> list[Word]:
        """samples: float32 [n] at 16 kHz. Nothing where the sentence does not fit the sound."""
        decoder = self._decoder
        for word in sentence.split():
            if decoder.lookup_word(word) is None:
                sounds = [_SOUND_OF_LETTER[letter] for letter in word if letter in _SOUND_OF_LETTER]
                decoder.add_word(word, " ".join(sounds) or "AH", True)
        dither = np.random.default_rng(0).normal(0.0, _DITHER, len(samples))
        try:
            decoder.set_align_text(sentence)
            decoder.start_utt()
            decoder.process_raw(_bytes(samples + dither), full_utt=True)
            decoder.end_utt()
        except RuntimeError:
            return []
        if not decoder.hyp():
            return []
        found = [
            Word(each.word.split("(")[0], each.start_frame, each.end_frame + 1)
            for each in decoder.seg()
            if each.word not in _NO_WORDS
        ]
        return found if [word.text for word in found] == sentence.split() else []


def pieces(words: Sequence[Word]) -> Iterator[tuple[int, int]]:
    """First and last but one of the words of each piece, in their order. A single word between others is left
    out unless there is a pause before it.
    """
    first = 0
    while first < len(words):
        ends: list[int] = []
        for end in range(first + 1, len(words) + 1):
            if words[end - 1].end - words[first].start > LONGEST:
                break
            ends.append(end)
            if pause(words, end) >= LONG_PAUSE:
                break
        if not ends:
            first += 1
            continue
        at_pause = [
            end
            for end in ends
            if pause(words, end) >= LONG_PAUSE
            or (pause(words, end) >= PAUSE and words[end - 1].end - words[first].start >= SHORTEST)
        ]
        end = at_pause[-1] if at_pause else ends[-1]
        if end - first > 1 or pause(words, first) >= PAUSE:
            yield first, end
        first = end


def pause(words: Sequence[Word], before: int) -> int:
    """Frames of silence before a word; `LONGEST` before the first one and after the last one."""
    return words[before].start - words[before - 1].end if 0 < before < len(words) else LONGEST


def begins(words: Sequence[Word], first: int) -> int:
    """The frame at which a piece begins."""
    return max(0, words[first].start - min(MARGIN, pause(words, first) // 2) - 1)


def timed(words: Sequence[Word], first: int, end: int) -> Iterator[str]:
    """The words of a piece with their start and end in it, seconds."""
    start = begins(words, first)
    for word in words[first:end]:
        yield f"{word.text}\t{(word.start - start) * FRAME_S:.2f}\t{(word.end - start) * FRAME_S:.2f}"


def cut(samples: NDArray[np.float32], words: Sequence[Word], first: int, end: int) -> NDArray[np.float32]:
    """The sound of these words, with some of the pauses around it."""
    after = min(MARGIN, pause(words, end) // 2) + 1
    per_frame = int(FRAME_S * MICROPHONE_RATE_HZ)
    return samples[begins(words, first) * per_frame : (words[end - 1].end + after) * per_frame]


def main(arguments: Sequence[str] | None = None) -> int:
    """Command line; 2 and one sentence for a folder that cannot be used."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--data", type=Path, required=True, metavar="FOLDER")
    parser.add_argument("--out", type=Path, required=True, metavar="PIECES")
    options = parser.parse_args(arguments)
    lines, times, left_out = ["file\tsentence\tspeaker"], ["file\tword\tstart_s\tend_s"], 0
    try:
        aligner, recordings = Aligner(), read_list(options.data)
        options.out.mkdir(parents=True, exist_ok=True)
        for number, said in enumerate(recordings):
            samples = read_samples(said.path)
            words = aligner.words(said.sentence, samples) if said.sentence else []
            left_out += not words
            for first, end in pieces(words):
                name = f"{number:05d}-{first:03d}.wav"
                _write(options.out / name, cut(samples, words, first, end))
                text = " ".join(word.text for word in words[first:end])
                lines.append(f"{name}\t{text}\t{said.speaker}")
                times += [f"{name}\t{each}" for each in timed(words, first, end)]
        for name, rows in ((LIST, lines), (WORDS, times)):
            (options.out / name).write_text("\n".join([*rows, ""]), encoding="utf-8")
    except Unreadable as error:
        print(error, file=sys.stderr)
        return 2
    except OSError as error:
        print(f"{options.out} cannot be written: {error.strerror}.", file=sys.stderr)
        return 2
    print(
        f"{len(recordings)} recordings, {len(lines) - 1} pieces; {left_out} without the words of their "
        "sentence"
    )
    return 0


def _write(path: Path, samples: NDArray[np.float32]) -> None:
    with wave.open(str(path), "wb") as file:
        file.setparams((1, 2, MICROPHONE_RATE_HZ, 0, "NONE", ""))
        file.writeframes(_bytes(samples))


def _bytes(samples: NDArray[np.floating]) -> bytes:
    return (np.clip(samples, -1.0, 1.0) * 32767).astype("<i2").tobytes()


if __name__ == "__main__":
    sys.exit(main())
