"""Writes the text reader beside the reflex brick of a pack, whose process runs it.

    python -m models.train.reader.export DIR/reader.pt --pack models/packs/micro --out OUT
    python -m models.train.pack --reflex OUT

The graph is in int8 (`int8`). Chooses from which probability a word counts (`choose`).
"""

from __future__ import annotations

import argparse
import json
import re
import shutil
import tomllib
from pathlib import Path

import numpy as np
import onnxruntime
import torch
from torch import nn

from models.pack.brick_table import READER
from models.train.detector.export import FOLDER, MANIFEST, reflex_part
from models.train.new_files import replaced
from models.train.reader.choose import chosen_from
from models.train.reader.int8 import write_int8
from models.train.reader.model import Reader

GRAPH = "reader.onnx"
_FLOAT = "reader-float32.onnx"
MEMORY_MIB = 22
"""What it takes beside the rest of the brick while it reads a picture of 224 px."""
_OPSET, _CLOSE = 17, 2e-3


def write_graph(model: nn.Module, path: Path) -> None:
    """Writes the graph for pictures of any size and compares what it gives. Raises ValueError where that is
    something else.
    """
    model.eval()
    sides = {2: "height", 3: "width"}
    torch.onnx.export(
        model, (torch.rand(1, 3, 64, 96),), str(path), input_names=["pixels"], output_names=["numbers"],
        dynamic_axes={"pixels": sides, "numbers": sides}, opset_version=_OPSET, dynamo=False,
    )  # fmt: skip
    session = onnxruntime.InferenceSession(str(path))
    for size in ((64, 96), (224, 224), (112, 200)):
        pixels = torch.rand(1, 3, *size)
        with torch.no_grad():
            wanted = model(pixels).numpy()
        (found,) = session.run(None, {"pixels": pixels.numpy()})
        if np.abs(found - wanted).mean() > _CLOSE * np.abs(wanted).mean():
            raise ValueError(f"{path} differs from the network at {size}.")


def with_reader(part: str, given_from: float, chosen: str) -> str:
    """The reflex brick's tables with the file of the reader, its memory, and from which probability a word
    counts.
    """
    had = f'path = "{FOLDER}/{GRAPH}"' in part
    part = part if had else re.sub(r"(?m)^memory_mib = (\d+)$", _with_its_memory, part, count=1)
    lines = [line for line in part.splitlines() if not line.startswith(("reader = ", "reading = "))]
    path = f"{FOLDER}/{GRAPH}"
    at = lines.index("[brick.reflex.files]") + 1
    lines.insert(at, f'{READER} = "{path}"')
    at = lines.index("[brick.reflex.settings]") + 1
    lines.insert(at, f"reading = {{ given_from = {given_from:.3f}, chosen = {json.dumps(chosen)} }}")
    text = "\n".join(lines) + "\n"
    listed = f'[[file]]\npath = "{path}"\nsize = 0\nsha256 = ""\nlicence = "MIT"\n\n'
    return text if had else listed + text


def _with_its_memory(declared: re.Match[str]) -> str:
    return f"memory_mib = {int(declared[1]) + MEMORY_MIB}"


def export(model: nn.Module, pack: Path, out: Path, pictures: int) -> str:
    """Writes `out`/reflex: the reflex brick of `pack` with this reader. Returns how it was chosen."""
    part = reflex_part((pack / "pack.toml").read_text(encoding="utf-8"))
    with replaced(out / FOLDER) as unfinished:
        write_graph(model, unfinished / _FLOAT)
        write_int8(unfinished / _FLOAT, unfinished / GRAPH)
        (unfinished / _FLOAT).unlink()
        given_from, chosen = chosen_from(unfinished / GRAPH, pictures, seed=1)
        part = with_reader(part, given_from, chosen)
        for path in tomllib.loads(part)["brick"]["reflex"]["files"].values():
            if (pack / path).exists() and Path(path).name != GRAPH:
                shutil.copyfile(pack / path, unfinished / Path(path).name)
        (unfinished / MANIFEST).write_text(part, encoding="utf-8")
    return chosen


def read_weights(path: Path) -> Reader:
    """A trained network, also of a run that goes on (last.pt)."""
    stored = torch.load(path, weights_only=True, map_location="cpu")
    if "average" in stored:
        stored = {
            name.removeprefix("module."): value
            for name, value in stored["average"].items()
            if name.startswith("module.")
        }
    model = Reader()
    model.load_state_dict(stored)
    return model


def main() -> None:
    """Command line."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("weights", type=Path)
    parser.add_argument("--pack", type=Path, required=True)
    parser.add_argument("--out", type=Path, required=True)
    parser.add_argument("--pictures", type=int, default=2000, help="of validation")
    options = parser.parse_args()
    print(export(read_weights(options.weights), options.pack, options.out, options.pictures))


if __name__ == "__main__":
    main()
