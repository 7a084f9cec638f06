"""Trains the whole micro pack and seals it: `python -m models.train.all [--out models/packs/micro]`.

Recogniser, then eyes and decoder, then voice, one after the other with fixed seeds; an interrupted run goes
on from its checkpoints under `.cache/train`. Ends with the demo's material and the sealed manifest.
"""

from __future__ import annotations

import argparse
import os
import subprocess
import sys
from pathlib import Path


def steps(out: Path) -> list[list[str]]:
    """The modules to run with their arguments, in order."""
    folder = str(out)
    return [
        ["models.train.stt", "--out", folder],
        ["models.train.vlm", "--out", folder],
        ["models.convert.parity", folder, ".cache/train/vlm/parity.npz"],
        ["models.train.voice", "--out", ".cache/train/voice/run"],
        ["models.convert.piper_voice", ".cache/train/voice/run/voice.pt", folder],
        ["models.train.demo_assets", "--out", "host/demo"],
        ["models.pack", "seal", folder],
    ]


def main() -> int:
    """The command line; 1 when a step failed."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--out", type=Path, default=Path("models/packs/micro"), help="folder of the pack")
    options = parser.parse_args()
    environment = {**os.environ, "OMP_WAIT_POLICY": "passive"}
    for step in steps(options.out):
        print(f"== {' '.join(step)}", flush=True)
        done = subprocess.run([sys.executable, "-m", *step], env=environment, check=False)
        if done.returncode:
            print(
                f"{step[0]} failed; what it finished is kept, and the next run goes on from there",
                file=sys.stderr,
            )
            return 1
    return 0


if __name__ == "__main__":
    sys.exit(main())
