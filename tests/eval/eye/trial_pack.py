"""A complete pack for trials: an exported or a random eye, with the micro pack's other bricks.

python -m tests.eval.eye.trial_pack FOLDER                     random weights of the micro pack's shape
python -m tests.eval.eye.trial_pack FOLDER --export EXPORTED   what `models.train.sight.export` wrote
"""

from __future__ import annotations

import argparse
import shutil
from pathlib import Path

from models.pack.catalogue import PACKS_FOLDER, seal
from tests.models.bricks.chain_graphs import MICRO, ChainShape, write_pack

SMALL = ChainShape(side_px=32, groups=(1, 2, 1), exits=(1, 2, 3), row_width=128)
"""An eye of three groups in milliseconds, with rows that the micro pack's decoder takes."""
_MICRO = PACKS_FOLDER / "micro"


def write_random_pack(folder: Path, shape: ChainShape = SMALL, bricks: tuple[str, ...] = ("llm",)) -> Path:
    """A pack of a random eye and text tower, with these bricks of the micro pack."""
    write_pack(folder, shape)
    return completed(folder, (folder / "pack.toml").read_text(), bricks)


def write_trial_pack(folder: Path, exported: Path) -> Path:
    """A pack of an exported eye, text tower and decoder, with the micro pack's ears and voice."""
    shutil.copytree(exported, folder, dirs_exist_ok=True, ignore=shutil.ignore_patterns(".new"))
    chain = sorted(path.name for path in (folder / "vision").glob("*.onnx"))
    groups = [1 for name in chain if name.startswith("group_")]
    files = [f"vision/{name}" for name in chain] + ["text.onnx", "text.json", "decoder.gguf"]
    listed = "".join(f'[[file]]\npath = "{name}"\nlicence = "MIT"\n\n' for name in files)
    named = ", ".join(f'{name.removesuffix(".onnx")} = "vision/{name}"' for name in chain)
    text = (
        f'name = "trial"\nversion = "1"\n\n{listed}'
        f'[brick.vision]\nruntime = "onnxruntime"\nmemory_mib = 40\nfiles = {{ {named} }}\n'
        f"[brick.vision.settings]\ntokens = {MICRO.tokens}\nwidth = {MICRO.row_width}\n"
        f"side_px = {MICRO.side_px}\ngroups = {groups}\nembedding = {MICRO.embedding}\n\n"
        '[brick.text]\nruntime = "onnxruntime-text"\nmemory_mib = 20\n'
        'files = { model = "text.onnx", words = "text.json" }\n'
    )
    return completed(folder, text, ("stt", "llm", "tts"))


def completed(folder: Path, text: str, bricks: tuple[str, ...]) -> Path:
    """Writes and seals a manifest with these bricks of the micro pack; files that are there already stay."""
    for table in (_MICRO / "pack.toml").read_text().split("\n\n["):
        name = table.split("]")[0].removeprefix("brick.").split(".")[0]
        if table.startswith("brick.") and name in bricks:
            text += f"\n[{table.strip()}\n"
    needed = [path for path in sorted(_MICRO.iterdir()) if f'"{path.name}"' in text]
    listed = "".join(
        f'[[file]]\npath = "{path.name}"\nlicence = "MIT"\n\n'
        for path in needed
        if f'path = "{path.name}"' not in text
    )
    for path in needed:
        if not (folder / path.name).exists():
            shutil.copy(path, folder)
    (folder / "pack.toml").write_text(text.replace("[[file]]", listed + "[[file]]", 1))
    seal(folder)
    return folder


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("folder", type=Path)
    parser.add_argument("--export", type=Path, help="folder with vision/, text.onnx and decoder.gguf")
    options = parser.parse_args()
    options.folder.mkdir(parents=True, exist_ok=True)
    if options.export:
        print(write_trial_pack(options.folder, options.export))
    else:
        print(write_random_pack(options.folder, MICRO, ("stt", "llm", "tts")))


if __name__ == "__main__":
    main()
