"""Trains the whole micro pack: `python -m models.train.all [--out models/packs/micro]`.

The stages: recogniser, and below which probability its transcripts are doubtful; eye, text tower and decoder;
a deeper decoder on the finished eye, and how sure it has to be of an answer; what answers closed questions
from the eye's rows; voice; how sentences end; the pack with its manifest; what understands several pictures
in their order; how deep the eye has to encode what is remembered; the demo's recordings and pictures. Seeds
are fixed. An interrupted run resumes from its checkpoints under `.cache/train`. With `--quick` every stage
takes a few steps only, in minutes, to test the tools; all output is in `.cache/train/quick`.

`python -m models.train.all reflex --data DIR --out OUT` trains only what answers closed questions, on a
folder of VQAv2 or VizWiz (without --data on the drawn worlds), for the eye of the micro pack unless --eye
names another; its arguments are those of `models.train.reflex.train`.

`just train recall --pictures DIR --out PACK` teaches the earlier exits of the micro pack's eye from a folder
of your own pictures, which nobody has to label, and writes a new pack; `just train recall --help` has more.
Without --pictures it only chooses again how deep the eye encodes what is remembered; its arguments are then
those of `models.train.recall.train`.
"""

from __future__ import annotations

import argparse
import os
import shutil
import sys
from pathlib import Path

from models.train.pack import PACK
from models.train.reflex.vqa.folder import format_of
from models.train.reflex.vqa.record import DataError
from models.train.stopping import STOPPED, run_to_its_end

CACHE = Path(".cache/train")
ALONE = ("reflex", "recall")
"""Trainings that can be named by themselves."""
QUICK = {
    "stt": ["--steps", "20", "--shards", "1"],
    "doubt": ["--questions", "20", "--others", "5"],
    "vlm": ["--steps", "30", "--sight-steps", "10", "--rest-steps", "10"],
    "decoder": ["--steps", "10"],
    "caution": ["--views", "2"],
    "reflex": ["--steps", "20", "--shards", "1"],
    "motion": ["--epochs", "1", "--shards", "1"],
    "recall": ["--days", "1", "--views", "100", "--quick"],
    "voice": ["--steps", "10", "--sound-steps", "2", "--sentences", "400"],
}


def stages(out: Path, cache: Path, demo: Path, endings: Path, quick: bool) -> list[list[str]]:
    """The modules to run with their arguments, in order."""
    few: dict[str, list[str]] = QUICK if quick else {}
    stt, eye, voice = cache / "stt" / "out", cache / "vlm" / "out", cache / "voice"
    reflex = cache / "reflex" / "out"
    parts = {"recogniser": stt, "eye": eye, "voice": voice / "out", "reflex": reflex}
    made = [word for name, folder in parts.items() for word in (f"--{name}", str(folder))]
    decoder = ["--eye", str(eye.parent), "--out", str(eye)]
    closed = ["--eye", str(eye), "--out", str(reflex), "--cache", str(reflex.parent)]
    motion = cache / "motion" / "out"
    clips = ["--pack", str(out), "--out", str(motion), "--cache", str(motion.parent)]
    return [
        ["models.train.recogniser.train", "--out", str(stt), "--cache", str(stt.parent), *few.get("stt", [])],
        ["models.train.recogniser.doubt", str(stt), *few.get("doubt", [])],
        ["models.train.sight.train", "--out", str(eye), "--cache", str(eye.parent), *few.get("vlm", [])],
        ["models.train.sight.train_decoder", *decoder, *few.get("decoder", [])],
        ["models.train.sight.caution", str(eye), *few.get("caution", [])],
        ["models.train.sight.export.parity", str(eye), str(eye.parent / "parity.npz")],
        ["models.train.reflex.train", *closed, *few.get("reflex", [])],
        ["models.train.voice.train", "--out", str(voice / "run"), *few.get("voice", [])],
        ["models.train.voice.export", str(voice / "run" / "voice.pt"), str(voice / "out")],
        ["models.train.intents.endings", "--out", str(endings)],
        ["models.train.pack", *made, "--out", str(out)],
        ["models.train.motion.train", *clips, *few.get("motion", [])],
        ["models.train.pack", *made, "--motion", str(motion), "--out", str(out)],
        ["models.train.recall.train", "--pack", str(out), *few.get("recall", [])],
        [
            "models.train.demo_assets",
            "--out",
            str(demo),
            "--tries",
            "1" if quick else "50",
            "--pack",
            str(out),
        ],
    ]


def main() -> int:
    """The command line; 1 when a stage failed, 130 or 143 when Ctrl-C or SIGTERM stopped it."""
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
    parser.add_argument(
        "only", nargs=argparse.REMAINDER, metavar="reflex ...", help="only this (or recall), see above"
    )
    options = parser.parse_args()
    if options.only:
        if options.only[0] in ALONE and (options.quick or options.out):
            parser.error(
                f"options of {options.only[0]} come after that word: just train {options.only[0]} ..."
            )
        return _only(parser, options.only, options.dry_run)
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
    environment = {**os.environ, "OMP_WAIT_POLICY": "passive"}
    for stage in stages(out, cache, demo, endings, options.quick):
        print(f"== {' '.join(stage)}", flush=True)
        status = run_to_its_end([sys.executable, "-m", *stage], environment)
        if status:
            stopped = status in STOPPED
            print(
                f"{stage[0]} {'was stopped' if stopped else 'failed'}; what it finished is kept, and the "
                "next run goes on from there",
                file=sys.stderr,
            )
            return status if stopped else 1
    print(f"the pack is {out}, the demo's material {demo}, what questions end with {endings}")
    return 0


def _only(parser: argparse.ArgumentParser, words: list[str], dry_run: bool) -> int:
    """Runs one training with arguments of its own; its exit status."""
    if words[0] not in ALONE:
        parser.error(f"unrecognized arguments: {' '.join(words)}")
    asks_help = bool({"-h", "--help"} & set(words))
    dry_run = dry_run or "--dry-run" in words
    own = [word for word in words[1:] if word != "--dry-run"]
    if words[0] == "recall":
        return _recall(own, dry_run and not asks_help, asks_help)
    if asks_help:
        parser.print_help()
        return 0
    return _reflex(own, dry_run)


def _reflex(words: list[str], dry_run: bool) -> int:
    """Training of what answers closed questions. A dry run refuses what can be refused without PyTorch: no
    --out, and a folder of --data in neither format.
    """
    stage = ["models.train.reflex.train", "--eye", str(PACK), *words]  # an --eye among the words wins
    if not dry_run:
        return run_to_its_end([sys.executable, "-m", *stage])
    looked_at = argparse.ArgumentParser(prog="just train reflex", allow_abbrev=False)
    looked_at.add_argument("--out", required=True)
    looked_at.add_argument("--data", type=Path)
    given, _ = looked_at.parse_known_args(words)
    try:
        if given.data is not None:
            format_of(given.data)
    except DataError as error:
        print(error, file=sys.stderr)
        return 2
    print(" ".join(stage))
    return 0


def _recall(words: list[str], dry_run: bool, asks_help: bool) -> int:
    """Healing from pictures, else the choice of depths. A dry run of healing looks at the pictures."""
    heals = asks_help or any(word.partition("=")[0] == "--pictures" for word in words)
    stage = ["models.train.recall.heal" if heals else "models.train.recall.train", *words]
    if dry_run and not heals:
        print(" ".join(stage))
        return 0
    stage += ["--dry-run"] if dry_run else []
    return run_to_its_end([sys.executable, "-m", *stage])


if __name__ == "__main__":
    sys.exit(main())
