"""Generates the ballast pack: random weights in the shapes and precisions of the standard pack.

    python -m models.convert.ballast.generate --out ~/.cache/headband/packs/ballast

Its output is meaningless; its time and memory are those of the standard pack. The numbers of decoded tokens
are fixed: the special tokens of the recogniser have zero rows, so that it decodes `max_tokens` tokens, and
the language model decodes `answer_tokens` tokens. The network for closed questions runs all its layers, with
a fifth of the image tokens after the first, and always has an answer, as the motion brick has. The pack runs
in the same bricks as every other pack. Needs onnx, gguf and piper-tts besides numpy; nothing is downloaded.
"""

from __future__ import annotations

import argparse
import os
import shutil
import sys
import time
from collections.abc import Callable
from functools import partial
from itertools import accumulate
from pathlib import Path

from models.convert.ballast import motion
from models.convert.ballast.decoder import LlmShape, write_llm
from models.convert.ballast.recogniser import WhisperShape, write_whisper
from models.convert.ballast.reflex import ballast_shape, write_ballast_reflex
from models.convert.ballast.text import TextShape, write_text, write_words
from models.convert.ballast.vit import VitShape, write_int8, write_piece_fp32
from models.convert.ballast.voice import VoiceShape, write_voice
from models.convert.reflex.graph import FRONT, layer_name
from models.convert.vision.chain_plan import ChainPlan
from models.pack.cache import cache_folder
from models.pack.catalogue import load_pack, seal
from models.pack.reflex_files import layer_key

LICENCE = "CC0-1.0"
NEEDED_MIB = 1700
"""Disk space for the pack and for the float32 ViT from which the int8 one is quantised."""
SPOKEN_TOKENS = 12
"""Length of a transcript: a question of about nine words."""
ANSWER_TOKENS = 24
"""Length of an answer: a sentence of about eighteen words."""
VISION_FOLDER = "vision"
REFLEX_WIDTHS = (256, 768)
"""Widths of the network for closed questions; the second is LXMERT's, with which MobiVQA is measured."""
MOTION_FOLDER, MOTION_DEPTHS, MOTION_MIB = "motion", (2, 6, 12), 90
"""Units are pictures after so many blocks, and the memory of their brick."""
REFLEX_MIB = {256: 80, 768: 262}
"""Declared memory by width: measured, and a tenth."""
MICRO_LABELS = Path(__file__).parents[2] / "packs/micro/motion/labels.json"
_SHAPE = VitShape()
_PLAN = ChainPlan(_SHAPE.groups, tuple(accumulate(_SHAPE.groups)))

_MANIFEST = """\
name = "{name}"
version = "5"
description = "Random weights in the shapes of the standard pack: true cost, no sense"
licence = "{licence}"
restore = "python -m models.convert.ballast.generate --out {restore}"

{files}
[brick.stt]
runtime = "whisper.cpp"
files = {{ model = "{whisper}" }}
placement = "cpu"
memory_mib = {stt_mib}
[brick.stt.settings]
audio_ctx = [256, 512, 768, 1500]
max_tokens = {spoken}

[brick.vision]
runtime = "onnxruntime"
files = {{ {vision} }}
placement = "cpu"
memory_mib = 200
[brick.vision.settings]
tokens = 576
width = 896
mean = 0.5
std = 0.5
side_px = 384
groups = {groups}
activation_tokens = 576
activation_width = 768
embedding = 768
untrained_exits = {untrained}

[brick.reflex]
runtime = "onnxruntime-reflex"
files = {{ {reflex} }}
placement = "cpu"
memory_mib = {reflex_mib}
[brick.reflex.settings]
tokens = 576
width = 896
layers = {reflex_layers}
answerable_from = 0.0
advice_from = 1.0
exit_score = 1.0
keep = 0.2
caution = {{ low = 0.0, normal = 0.0, high = 0.0 }}
chosen = "Every question runs all layers and is answered, so that its cost is fixed."
unknown_words = 24

[brick.motion]
runtime = "onnxruntime-motion"
files = {{ {motion} }}
placement = "cpu"
memory_mib = {motion_mib}
[brick.motion.settings]
depths = {motion_depths}
depth = {motion_depth}
tokens = 576
width = 768
cells = 576
features = 64
least = {{}}
chosen = "Every question has an answer, so that its cost is fixed."

[brick.llm]
runtime = "llama.cpp"
files = {{ model = "qwen2-0.5b-q4_0.gguf" }}
placement = "cpu"
memory_mib = 470
[brick.llm.settings]
n_ctx = 1024
n_batch = 256
prompt = "{{question}}"
answer_tokens = {answer}

[brick.tts]
runtime = "piper"
files = {{ model = "voice-medium.onnx", config = "voice-medium.onnx.json" }}
placement = "cpu"
memory_mib = 260

[brick.text]
runtime = "onnxruntime-text"
files = {{ model = "text-b-int8.onnx", words = "text-b.json" }}
placement = "cpu"
memory_mib = 230
"""


def _reflex_files(width: int) -> dict[str, str]:
    """The files of the network for closed questions of that width, by key."""
    layers = range(1, ballast_shape(_SHAPE.row_width, width).layers + 1)
    names = {"words": "words.json", "answers": "answers.json", "front": FRONT}
    names |= {layer_key(layer): layer_name(layer) for layer in layers}
    return {key: f"reflex-{width}-int8/{name}" for key, name in names.items()}


def _motion_files() -> dict[str, str]:
    """The files of the motion brick, by key."""
    return {key: f"{MOTION_FOLDER}/{name}" for key, name in motion.files(MOTION_DEPTHS).items()}


def _names(whisper: str, reflex_width: int) -> list[str]:
    """The files of a pack with that recogniser."""
    return [
        whisper,
        *dict.fromkeys(_PLAN.files(VISION_FOLDER).values()),
        *_reflex_files(reflex_width).values(),
        *_motion_files().values(),
        "text-b-int8.onnx",
        "text-b.json",
        "qwen2-0.5b-q4_0.gguf",
        "voice-medium.onnx",
        "voice-medium.onnx.json",
    ]


def _manifest(folder: Path, whisper: str, stt_mib: int, reflex_width: int) -> None:
    files = "\n".join(
        f'[[file]]\npath = "{name}"\nsize = 0\nsha256 = ""\nlicence = "{LICENCE}"\n'
        for name in _names(whisper, reflex_width)
    )
    reflex = _reflex_files(reflex_width)
    text = _MANIFEST.format(
        name=folder.name,
        licence=LICENCE,
        restore=folder,
        files=files,
        whisper=whisper,
        stt_mib=stt_mib,
        spoken=SPOKEN_TOKENS,
        answer=ANSWER_TOKENS,
        vision=", ".join(f'{key} = "{path}"' for key, path in _PLAN.files(VISION_FOLDER).items()),
        reflex=", ".join(f'{key} = "{path}"' for key, path in reflex.items()),
        reflex_layers=sum(key.startswith("layer") for key in reflex),
        reflex_mib=REFLEX_MIB[reflex_width],
        motion=", ".join(f'{key} = "{path}"' for key, path in _motion_files().items()),
        motion_mib=MOTION_MIB,
        motion_depths=list(MOTION_DEPTHS),
        motion_depth=MOTION_DEPTHS[0],
        groups=list(_PLAN.groups),
        untrained=list(_PLAN.exits[:-1]),
    )
    (folder / "pack.toml").write_text(text)
    seal(folder)


def generate(out: Path, report: Callable[[str], None] = print, reflex_width: int = REFLEX_WIDTHS[0]) -> None:
    """Write the pack to `out`, and beside it `<out>-base`, the same with the larger recogniser. reflex_width:
    of the network for closed questions.

    Existing files are kept. Raises OSError for too little disk space.
    """
    (out / VISION_FOLDER).mkdir(parents=True, exist_ok=True)
    text = TextShape()
    pieces = [(f"{VISION_FOLDER}/{piece}.onnx", partial(_write_piece, piece)) for piece in _SHAPE.pieces]
    steps: list[tuple[str, Callable[[Path], None]]] = [
        ("whisper-tiny.en.bin", lambda path: write_whisper(path, WhisperShape(384, 6, 4))),
        ("whisper-base.en.bin", lambda path: write_whisper(path, WhisperShape(512, 8, 6))),
        *pieces,
        ("text-b-int8.onnx", lambda path: write_text(path, text)),
        ("text-b.json", lambda path: write_words(path, text)),
        ("qwen2-0.5b-q4_0.gguf", lambda path: write_llm(path, LlmShape())),
        ("voice-medium.onnx", lambda path: write_voice(path, VoiceShape())),
    ]
    missing = [name for name, _ in steps if not (out / name).exists()]
    free_mib = shutil.disk_usage(out).free / 2**20
    if missing and free_mib < NEEDED_MIB:
        raise OSError(
            f"{out} has {free_mib:.0f} MiB free; the ballast pack needs {NEEDED_MIB} MiB to be made."
        )
    for name, write in steps:
        if name not in missing:
            continue
        start_s = time.monotonic()
        part = out / f"{name}.part"
        write(part)
        if Path(f"{part}.json").exists():
            Path(f"{part}.json").replace(out / f"{name}.json")
        part.replace(out / name)
        size_mib = (out / name).stat().st_size / 2**20
        report(f"{name}: {size_mib:.1f} MiB in {time.monotonic() - start_s:.1f} s")
    _make_reflex(out, reflex_width, report)
    _make_motion(out, report)
    _manifest(out, "whisper-tiny.en.bin", 150, reflex_width)
    base = out.with_name(out.name + "-base")
    for name in _names("whisper-base.en.bin", reflex_width):
        (base / name).parent.mkdir(parents=True, exist_ok=True)
        (base / name).unlink(missing_ok=True)
        os.link(out / name, base / name)
    _manifest(base, "whisper-base.en.bin", 300, reflex_width)
    for folder in (out, base):
        load_pack(folder)
        report(f"pack '{folder.name}' is ready in {folder}")


def _make_reflex(out: Path, width: int, report: Callable[[str], None]) -> None:
    """All files of the network for closed questions, unless they are there."""
    names = _reflex_files(width).values()
    if all((out / name).exists() for name in names):
        return
    start_s, folder = time.monotonic(), out / Path(next(iter(names))).parent
    part = folder.with_name(f"{folder.name}.part")
    shutil.rmtree(part, ignore_errors=True)
    shutil.rmtree(folder, ignore_errors=True)
    part.mkdir()
    write_ballast_reflex(part, ballast_shape(_SHAPE.row_width, width))
    part.replace(folder)
    size_mib = sum((out / name).stat().st_size for name in names) / 2**20
    report(f"{folder.name}: {len(names)} files, {size_mib:.1f} MiB in {time.monotonic() - start_s:.1f} s")


def _make_motion(out: Path, report: Callable[[str], None]) -> None:
    """All files of the network for the last seconds, unless they are there. Its questions are the micro
    pack's.
    """
    names = _motion_files().values()
    if all((out / name).exists() for name in names):
        return
    start_s, folder = time.monotonic(), out / MOTION_FOLDER
    folder.mkdir(exist_ok=True)
    shape = motion.MotionShape(_SHAPE.tokens, _SHAPE.width)
    motion.write_motion(folder, shape, MOTION_DEPTHS, MICRO_LABELS)
    size_mib = sum((out / name).stat().st_size for name in names) / 2**20
    report(f"{MOTION_FOLDER}: {len(names)} files, {size_mib:.1f} MiB in {time.monotonic() - start_s:.1f} s")


def _write_piece(piece: str, path: Path) -> None:
    write_int8(path, lambda full: write_piece_fp32(full, _SHAPE, piece))


def main(arguments: list[str] | None = None) -> int:
    """Command line; exit 1 with one sentence when the disk is too full."""
    parser = argparse.ArgumentParser(
        prog="just ballast", description=__doc__.splitlines()[0], allow_abbrev=False
    )
    parser.add_argument(
        "--out", type=Path, default=cache_folder() / "packs" / "ballast", help="folder of the pack"
    )
    parser.add_argument(
        "--reflex-width",
        type=int,
        choices=REFLEX_WIDTHS,
        default=REFLEX_WIDTHS[0],
        help="width of the network for closed questions",
    )
    parser.add_argument("--dry-run", action="store_true", help="only say where it would be made")
    options = parser.parse_args(arguments)
    if options.dry_run:
        print(f"The ballast pack would be made in {options.out}.")
        return 0
    try:
        generate(options.out.expanduser().resolve(), reflex_width=options.reflex_width)
    except OSError as error:
        print(error, file=sys.stderr)
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main())
