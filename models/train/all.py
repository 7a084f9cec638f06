"""Trains the whole micro pack and seals it: `python -m models.train.all [--out models/packs/micro]`.

The stages: recogniser; vision encoder and decoder; voice; the demo's recordings and pictures; sizes and
SHA-256 in the manifest. Seeds are fixed. An interrupted run resumes from its checkpoints under
`.cache/train`. With `--quick` every stage takes a few steps only, in minutes, to test the tools; all output
is in `.cache/train/quick`.
"""

from __future__ import annotations

import argparse
import os
import shutil
import subprocess
import sys
from pathlib import Path

PACK = Path("models/packs/micro")
CACHE = Path(".cache/train")
QUICK = {
    "stt": ["--steps", "20", "--shards", "1"],
    "vlm": ["--steps", "30", "--sight-steps", "10", "--rest-steps", "10"],
    "voice": ["--steps", "10", "--sound-steps", "2", "--sentences", "400"],
}


def stages(out: Path, cache: Path, demo: Path, endings: Path, quick: bool) -> list[list[str]]:
    """The modules to run with their arguments, in order."""
    few: dict[str, list[str]] = QUICK if quick else {}
    return [
        [
            "models.train.recogniser.train",
            "--out",
            str(out),
            "--cache",
            str(cache / "stt"),
            *few.get("stt", []),
        ],
        ["models.train.sight.train", "--out", str(out), "--cache", str(cache / "vlm"), *few.get("vlm", [])],
        ["models.train.sight.export.parity", str(out), str(cache / "vlm" / "parity.npz")],
        ["models.train.voice.train", "--out", str(cache / "voice" / "run"), *few.get("voice", [])],
        ["models.train.voice.export", str(cache / "voice" / "run" / "voice.pt"), str(out)],
        ["models.train.world.endings", "--out", str(endings)],
        ["models.train.demo_assets", "--out", str(demo)],
        ["models.pack.catalogue", "seal", str(out)],
    ]


def main() -> int:
    """The command line; 1 when a stage failed."""
    parser = argparse.ArgumentParser(
        prog="just train",
        description=__doc__,
        formatter_class=argparse.RawDescriptionHelpFormatter,
        allow_abbrev=False,
    )
    parser.add_argument(
        "--out", type=Path, help=f"folder of the pack (default {PACK}; --quick: in the cache)"
    )
    parser.add_argument(
        "--quick", action="store_true", help="a few steps of each stage, in a cache of its own"
    )
    parser.add_argument("--dry-run", action="store_true", help="only print the stages")
    options = parser.parse_args()
    cache, demo, endings, out = (
        CACHE,
        Path("host/demo"),
        Path("host/language/end_of_question.txt"),
        options.out or PACK,
    )
    if options.quick:
        cache = CACHE / "quick"
        demo, endings, out = cache / "demo", cache / "endings.txt", options.out or cache / "pack"
    if options.dry_run:
        print("\n".join(" ".join(stage) for stage in stages(out, cache, demo, endings, options.quick)))
        return 0
    if options.quick:
        shutil.rmtree(cache, ignore_errors=True)
    out.mkdir(parents=True, exist_ok=True)
    if not (out / "pack.toml").exists():
        shutil.copy(PACK / "pack.toml", out)
    environment = {**os.environ, "OMP_WAIT_POLICY": "passive"}
    for stage in stages(out, cache, demo, endings, options.quick):
        print(f"== {' '.join(stage)}", flush=True)
        done = subprocess.run([sys.executable, "-m", *stage], env=environment, check=False)
        if done.returncode:
            print(
                f"{stage[0]} failed; what it finished is kept, and the next run goes on from there",
                file=sys.stderr,
            )
            return 1
    print(f"the pack is {out}, the demo's material {demo}, what questions end with {endings}")
    return 0


if __name__ == "__main__":
    sys.exit(main())
