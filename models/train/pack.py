"""Puts the micro pack together from what was trained: files, manifest, sizes and SHA-256.

    python -m models.train.pack --recogniser FOLDER --eye FOLDER [--voice FOLDER] [--reflex FOLDER]
                                [--motion FOLDER] [--out models/packs/micro]
    python -m models.train.pack --reflex FOLDER          into the pack that is there, which stays otherwise

FOLDER is where a training writes its files: `models.train.recogniser.train` stt.bin, and
`models.train.recogniser.doubt` stt.json beside it; `models.train.sight.train_decoder` (or, with the first
decoder, `models.train.sight.train` and `export`) the eye in pieces, text tower and decoder;
`models.train.voice.export` the voice; `models.train.reflex.train` what answers closed questions from the rows
of that eye, `models.train.motion.train` what understands several pictures in their order. Without --voice the
voice of the shipped pack is taken, without --reflex and --motion the pack has none of those. Files
of an earlier pack in --out that this one does not have are removed, and the pack is read again as the
headband reads it.
"""

from __future__ import annotations

import argparse
import json
import re
import shutil
import sys
import tomllib
from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import onnxruntime

from models.pack.brick_table import brick_specs
from models.pack.catalogue import Pack, PackError, load_pack, seal
from models.pack.chain import EYE, RECALL_EYE, identity
from models.pack.manifest import read_manifest
from models.pack.sha256 import sha256_of
from models.train.new_files import moved_whole

PACK = Path("models/packs/micro")
NAME, VERSION = "micro", "31"
DESCRIPTION = (
    "Trained from generated scenes, synthesised speech and people's recordings; knows drawn shapes, a drawn "
    "home, what happens in it, and one grammar of questions."
)
SELF_TEST = "can you read the label"
"""What is said in the sound of the built-in question."""
MOST_MIB = 64
DOUBTFUL_BELOW = 0.83
"""Where the recogniser's folder has no stt.json."""
HEARINGS = {"paces": [0.92, 1.08], "sure_from": 0.95}
"""How a question is heard again (`models.listening.hearing_again`): the paces chosen on 300 sentences of no
evaluation in voices that are for validation, `sure_from` on 1,342 questions of the recogniser's validation.
"""
TEXT, DECODER = ("text.onnx", "text.json"), "decoder.gguf"
RECOGNISER, VOICE = "stt.bin", ("voice.onnx", "voice.onnx.json")
CAUTION = "caution.json"
"""How sure the decoder has to be, in the folder of the eye."""
MEMORY_MIB: Mapping[str, int] = {"stt": 50, "vision": 40, "text": 23, "llm": 20, "tts": 50}
"""Of each brick's process; `python -m models.process.brick_cost FOLDER` measures it."""


_MIXTURE = "{folder} holds a mixture of two exports, the second cut midway; export again."


class Incomplete(Exception):
    """Something that a pack needs was not made; the message is a sentence."""


def _only(folder: Path, *names: str) -> list[Path]:
    """These files of a folder. Raises Incomplete."""
    for name in names:
        if not (folder / name).is_file():
            raise Incomplete(f"{folder} lacks {name}.")
    return [folder / name for name in names]


def chain_files(folder: Path) -> dict[str, str]:
    """The files of the eye in pieces by their keys in a pack, with paths from `folder`, in the order in which
    a picture passes them, the exits last. Raises Incomplete.
    """
    if not moved_whole(folder):
        raise Incomplete(_MIXTURE.format(folder=folder))
    _only(folder / EYE, "stem.onnx", "group_01.onnx", "rows.onnx")
    found = {path.stem for path in (folder / EYE).glob("*.onnx")}
    numbered = [sorted(key for key in found if key.startswith(kind)) for kind in ("group_", "exit_")]
    return {key: f"{EYE}/{key}.onnx" for key in ("stem", *numbered[0], "rows", *numbered[1])}


def eye_settings(folder: Path, files: Mapping[str, str]) -> dict[str, Any]:
    """The settings of the eye, from its graphs. Each group is one block."""

    def extents(key: str) -> tuple[list[int], list[int]]:
        session = onnxruntime.InferenceSession(str(folder / files[key]))
        return session.get_inputs()[0].shape, session.get_outputs()[0].shape

    (_, _, side, _), _ = extents("stem")
    _, (_, tokens, width) = extents("rows")
    exits = [key for key in files if key.startswith("exit_")]
    embedding = extents(exits[0])[1][-1] if exits else 0
    groups = [1 for key in files if key.startswith("group_")]
    return {"tokens": tokens, "width": width, "side_px": side, "groups": groups, "embedding": embedding}


def doubtful_below(recogniser: Path) -> float:
    """The least mean probability of an answered transcript, as `models.train.recogniser.doubt` found it."""
    path = recogniser / "stt.json"
    return float(json.loads(path.read_text())["doubtful_below"]) if path.is_file() else DOUBTFUL_BELOW


def caution(eye: Path) -> dict[str, Any]:
    """How sure the decoder has to be, as `models.train.sight.caution` found it; {} where it did not."""
    path = eye / CAUTION
    found: dict[str, Any] = json.loads(path.read_text()) if path.is_file() else {}
    return found


def bricks(
    eye: Mapping[str, str], settings: Mapping[str, Any], doubtful: float, caution: Mapping[str, Any]
) -> dict[str, dict[str, Any]]:
    """The tables of the manifest's bricks."""
    return {
        "stt": {
            "runtime": "whisper.cpp", "files": {"model": RECOGNISER},
            "settings": {
                "audio_ctx": [128, 192, 256], "max_tokens": 24, "doubtful_below": doubtful, **HEARINGS,
            },
        },
        "vision": {"runtime": "onnxruntime", "files": eye, "settings": settings},
        "text": {
            "runtime": "onnxruntime-text", "files": {"model": TEXT[0], "words": TEXT[1]}, "settings": {},
        },
        "llm": {
            "runtime": "llama.cpp", "files": {"model": DECODER},
            "settings": {"n_ctx": 256, "n_batch": 192, "usual_wording": True, **caution},
        },
        "tts": {
            "runtime": "piper", "files": {"model": VOICE[0], "config": VOICE[1]},
            "settings": {"normalize": False, "volume": 1.0, "length_scale": 1.1},
        },
    }  # fmt: skip


def part_of(folder: Path, brick: str, eyes: Mapping[str, str]) -> tuple[str, dict[str, Path]]:
    """The text of the manifest's part for reflex or motion, and its files by their names in the pack. eyes:
    the last part of the identity of each of the pack's eyes. Raises Incomplete where a file lacks, or where
    it was trained for another eye than the one that it reads.
    """
    text = _only(folder, f"{brick}/brick.toml")[0].read_text(encoding="utf-8")
    table = tomllib.loads(text)["brick"][brick]
    names = list(table["files"].values())
    files = dict(zip(names, _only(folder, *names), strict=True))
    settings = table.get("settings", {})
    if settings.get("encoder", "") not in ("", eyes.get(settings.get("eye", EYE))):
        raise Incomplete(f"{folder} was trained for another eye; train it again.")
    return text, files


def _pairs(values: Mapping[str, Any]) -> list[str]:
    """Keys with texts, numbers, truth values, and lists and tables of them, as lines of TOML."""
    return [f"{key} = {_value(value)}" for key, value in values.items()]


def _value(value: Any) -> str:
    return f"{{ {', '.join(_pairs(value))} }}" if isinstance(value, Mapping) else json.dumps(value)


def manifest(tables: Mapping[str, Mapping[str, Any]]) -> str:
    """The text of pack.toml, without sizes and SHA-256."""
    lines = [
        f'name = "{NAME}"', f'version = "{VERSION}"', f'description = "{DESCRIPTION}"', 'licence = "MIT"',
        'restore = "git checkout -- models/packs/micro"', f'self_test = "{SELF_TEST}"', "",
    ]  # fmt: skip
    for table in tables.values():
        for path in table["files"].values():
            lines += ["[[file]]", f'path = "{path}"', "size = 0", 'sha256 = ""', 'licence = "MIT"', ""]
    for name, table in tables.items():
        lines += [f"[brick.{name}]", f'runtime = "{table["runtime"]}"', 'placement = "cpu"']
        lines += [f"memory_mib = {MEMORY_MIB[name]}", ""]
        for part in ("files", "settings"):
            if table[part]:
                lines += [f"[brick.{name}.{part}]", *_pairs(table[part]), ""]
    return "\n".join(lines).rstrip() + "\n"


def write_pack(
    out: Path, recogniser: Path, eye: Path, voice: Path, more: Mapping[str, Path | None] | None = None
) -> Pack:
    """Writes the whole pack into `out`. more: folders of reflex and motion, if it has them. Raises Incomplete
    where a folder lacks a file or the pack is larger than it may be, before `out` is touched; PackError where
    the headband could not read it.
    """
    pieces = chain_files(eye)
    sources = {path.name: path for path in _only(recogniser, RECOGNISER)}
    sources |= {name: eye / name for name in pieces.values()}
    sources |= {path.name: path for path in _only(eye, *TEXT, DECODER) + _only(voice, *VOICE)}
    parts: list[str] = []
    for brick, folder in (more or {}).items():
        if folder is not None:
            sums = {key: sha256_of(eye / name) for key, name in pieces.items()}
            part, files = part_of(folder, brick, {EYE: identity("", "", sums).strip()})
            parts.append(part)
            sources |= files
    size_mib = sum(path.stat().st_size for path in sources.values()) / 2**20
    if size_mib > MOST_MIB:
        raise Incomplete(f"The pack would have {size_mib:.1f} MiB, more than {MOST_MIB}.")
    text = manifest(bricks(pieces, eye_settings(eye, pieces), doubtful_below(recogniser), caution(eye)))
    text += "".join(f"\n{part}" for part in parts)
    earlier = read_manifest(out).files if (out / "pack.toml").is_file() else ()
    for name, source in sources.items():
        (out / name).parent.mkdir(parents=True, exist_ok=True)
        if source.resolve() != (out / name).resolve():
            shutil.copyfile(source, out / name)
    for file in earlier:
        if file.path not in sources:
            (out / file.path).unlink(missing_ok=True)
    (out / "pack.toml").write_text(text)
    seal(out)
    return load_pack(out)


def add_part(out: Path, brick: str, folder: Path) -> Pack:
    """Brings reflex or motion into the pack in `out`, in place of one that it has; its other files and
    settings stay. Raises Incomplete or PackError as `write_pack` does.
    """
    if not moved_whole(out):
        raise Incomplete(_MIXTURE.format(folder=out))
    earlier = read_manifest(out)
    others = {name: table for name, table in earlier.bricks.items() if name != brick}
    specs = brick_specs(replace(earlier, bricks=others))
    eyes = {
        name: str(specs[name].options["encoder"]).rpartition(" ")[2]
        for name in (EYE, RECALL_EYE)
        if name in specs
    }
    part, files = part_of(folder, brick, eyes)
    rest = [file.path for file in earlier.files if not file.path.startswith(f"{brick}/")]
    size_mib = sum(path.stat().st_size for path in (*files.values(), *(out / name for name in rest))) / 2**20
    if size_mib > MOST_MIB:
        raise Incomplete(f"The pack would have {size_mib:.1f} MiB, more than {MOST_MIB}.")
    tables = re.split(r"(?m)^(?=\[)", earlier.text)
    own = re.compile(rf'\[brick\.{brick}[.\]]|\[\[file\]\]\s+path = "{brick}/')
    text = "".join(table for table in tables if not own.match(table)).rstrip()
    if earlier.name == NAME:
        text = re.sub(r'(?m)^version = ".*"$', f'version = "{VERSION}"', text, count=1)
    (out / brick).mkdir(exist_ok=True)
    for name, source in files.items():
        shutil.copyfile(source, out / name)
    for file in earlier.files:
        if file.path.startswith(f"{brick}/") and file.path not in files:
            (out / file.path).unlink(missing_ok=True)
    (out / "pack.toml").write_text(f"{text}\n\n{part}")
    seal(out)
    return load_pack(out)


def main(arguments: Sequence[str] | None = None) -> int:
    """Command line; 2 with one sentence where the pack cannot be made."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--recogniser", type=Path, help="folder with stt.bin")
    parser.add_argument("--eye", type=Path, help="folder with vision/, text tower and decoder")
    parser.add_argument("--voice", type=Path, default=PACK, help=f"folder with the voice (default {PACK})")
    parser.add_argument("--reflex", type=Path, help="folder with reflex/, trained for this eye")
    parser.add_argument("--motion", type=Path, help="folder with motion/, trained with this eye")
    parser.add_argument("--out", type=Path, default=PACK, help=f"folder of the pack (default {PACK})")
    options = parser.parse_args(arguments)
    more = {"reflex": options.reflex, "motion": options.motion}
    given = {brick: folder for brick, folder in more.items() if folder}
    whole = options.recogniser and options.eye
    if not whole and (options.recogniser or options.eye or not given):
        parser.error(
            "--recogniser and --eye make a pack, --reflex or --motion alone go into one that is there"
        )
    try:
        if whole:
            pack = write_pack(options.out, options.recogniser, options.eye, options.voice, more)
        for brick, folder in () if whole else given.items():
            pack = add_part(options.out, brick, folder)
    except (Incomplete, PackError) as error:
        print(error, file=sys.stderr)
        return 2
    size_mib = sum(file.size_bytes for file in pack.files) / 2**20
    print(f"{options.out}: version {pack.version}, {len(pack.files)} files, {size_mib:.1f} MiB")
    return 0


if __name__ == "__main__":
    sys.exit(main())
