"""Below which mean probability of its tokens a transcript is doubtful, from validation questions.

`python -m models.train.recogniser.doubt FOLDER` reads FOLDER/stt.bin and writes FOLDER/stt.json, from which
`models.train.pack` takes the setting `doubtful_below`: one in two hundred of the rightly heard validation
questions lies below. It prints how much of other speech lies below, or is empty or marked.
"""

from __future__ import annotations

import argparse
import json
import math
from collections.abc import Sequence
from pathlib import Path

import numpy as np

from models.train.pack import HEARINGS
from models.train.recogniser.evaluate import Transcription, fixed_clips, refused, rightly, transcribed
from models.train.recogniser.in_process import InProcessRecogniser
from models.train.recogniser.shards import WINDOWS
from models.train.sound.utterances import LabelledClip

LOST_SHARE = 0.005
"""Of the rightly heard questions: of other voices, where one in a hundred may be lost, it is twice as many.
"""


def threshold(heard: Sequence[Transcription], lost_share: float = LOST_SHARE) -> float:
    """The probability below which that share of the rightly heard questions lies, rounded down to two
    decimals; 0 where none was heard rightly.
    """
    right = [h.probability for h in heard if h.text and h.clip.family != "other speech" and rightly(h)]
    return math.floor(100 * float(np.quantile(right, lost_share))) / 100 if right else 0.0


def of_templates(clip: LabelledClip) -> bool:
    """Whether its sentence is no invented person's: those are heard with more doubt."""
    return clip.family != "everyone"


def main() -> None:
    """Parse the command line, measure, write."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("folder", type=Path, help="folder with stt.bin")
    parser.add_argument("--questions", type=int, default=2000)
    parser.add_argument("--others", type=int, default=400)
    options = parser.parse_args()
    recogniser = InProcessRecogniser(
        {"model": str(options.folder / "stt.bin"), "audio_ctx": WINDOWS, "max_tokens": 24, **HEARINGS},
        threads=1,
    )
    clips = [
        clip for clip in fixed_clips("validation", options.questions, options.others, 0) if of_templates(clip)
    ]
    heard = [transcribed(recogniser, clip) for clip in clips]
    found = threshold(heard)
    others = [refused(h, found) for h in heard if h.clip.family == "other speech"]
    right = [refused(h, found) for h in heard if h.clip.family != "other speech" and rightly(h)]
    (options.folder / "stt.json").write_text(json.dumps({"doubtful_below": found}) + "\n")
    print(f"doubtful_below {found}: of {len(right)} rightly heard questions {sum(right)} are refused, of "
          f"{len(others)} other clips {sum(others)}")  # fmt: skip


if __name__ == "__main__":
    main()
