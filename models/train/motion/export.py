"""Writes the motion brick's files: graphs, labels and its part of `pack.toml`."""

from __future__ import annotations

import json
import tomllib
from pathlib import Path

import numpy as np
import onnxruntime
import torch
from torch import Tensor, nn

from models.bricks.motion import SHIFTS, TURNS
from models.caution import Caution
from models.train.motion.features import DEPTHS
from models.train.motion.model import Motion
from models.train.motion.thresholds import Chosen
from models.train.new_files import replaced
from models.train.world.clips.values import FAMILIES, LABELS
from models.train.world.home.splits import KINDS

FOLDER, LABELS_FILE, ANSWER_FILE, MANIFEST = "motion", "labels.json", "answer.onnx", "brick.toml"
CHOICE_FILE = "choice.json"
MEMORY_MIB = 16
"""Of the brick's process; `python -m models.process.brick_cost FOLDER` measures it."""
_CLOSE = 1e-4
_OPSET = 17
_LEAST: dict[str, Caution] = {"least": "normal", "least_low": "low", "least_high": "high"}


class _OneClip(nn.Module):
    """The answer's part for one clip, all of whose units are there."""

    def __init__(self, model: Motion) -> None:
        super().__init__()
        self.answer = model.answer

    def forward(self, features: Tensor, ages_s: Tensor, turns: Tensor, question: Tensor) -> Tensor:
        present = torch.ones_like(ages_s, dtype=torch.bool)
        found: Tensor = self.answer(features[None], ages_s[None], turns[None], question[None], present[None])
        return found[0]


def unit_file(depth: int) -> str:
    """The name of the graph for units at a depth."""
    return f"unit_{depth:02}.onnx"


def export(model: Motion, chosen: Chosen, out: Path, encoder: str = "") -> None:
    """Writes `out`/motion, which is replaced as a whole when all files are complete. encoder: the last part
    of the identity of the eye, "" for any. Raises ValueError where a graph differs from the network.
    """
    with replaced(out / FOLDER) as unfinished:
        _write_files(model, chosen, unfinished, encoder)


def _write_files(model: Motion, chosen: Chosen, folder: Path, encoder: str) -> None:
    model.eval()
    model.answer.temperature.fill_(chosen.temperature)
    shape = model.shape
    some = torch.randn(5, shape.tokens, shape.width)
    shifts, turns = torch.rand(5, 2, 3) - 0.5, torch.rand(5, 2) - 0.5
    names = ["earlier", "before", "now", "after", SHIFTS]
    for position, depth in enumerate(DEPTHS):
        _write(
            model.units[position], (some, some.flip(0), some + 0.3, some * 0.5, shifts),
            folder / unit_file(depth),
            names, "features", {name: {0: "n"} for name in (*names, "features")},
        )  # fmt: skip
    with torch.no_grad():
        cells = model.units[-1](some, some.flip(0), some + 0.3, some * 0.5, shifts)
    question, ages_s = torch.tensor([1, 2, 0]), torch.tensor([1.6, 1.1, 0.9, 0.3, 0.0])
    _write(
        _OneClip(model), (cells, ages_s, turns, question), folder / ANSWER_FILE,
        ["features", "ages_s", TURNS, "question"], "logits",
        {name: {0: "n"} for name in ("features", "ages_s", TURNS)},
    )  # fmt: skip
    told = {
        "families": {name: list(labels) for name, labels in FAMILIES.items()},
        "things": list(KINDS),
        "labels": list(LABELS),
    }
    (folder / LABELS_FILE).write_text(json.dumps(told, indent=1) + "\n", encoding="utf-8")
    (folder / MANIFEST).write_text(manifest(model, chosen, encoder), encoding="utf-8")


def add_choice(out: Path, choice: str, encoder: str) -> None:
    """Adds the text of a file that chooses ways of looking (`models.sensing.choice_file`) to `out`/motion.
    encoder: the identity of the eye that it was made with. Raises ValueError where the brick has another.
    """
    folder = out / FOLDER
    text = (folder / MANIFEST).read_text(encoding="utf-8")
    if tomllib.loads(text)["brick"]["motion"]["settings"]["encoder"] != encoder:
        raise ValueError(f"{folder} was trained for another eye than that of the pack (--pack).")
    (folder / CHOICE_FILE).write_text(choice, encoding="utf-8")
    line = f'choice = "{FOLDER}/{CHOICE_FILE}"\n'
    if line in text:
        return
    files = "[brick.motion.files]\n"
    before, after = text.split("[brick.motion]\n")
    listed = f'[[file]]\npath = "{FOLDER}/{CHOICE_FILE}"\nsize = 0\nsha256 = ""\nlicence = "MIT"\n\n'
    text = before + listed + "[brick.motion]\n" + after.replace(files, files + line)
    (folder / MANIFEST).write_text(text, encoding="utf-8")


def manifest(model: Motion, chosen: Chosen, encoder: str) -> str:
    """The part of `pack.toml` that is the brick's, without sizes and SHA-256."""
    shape = model.shape
    files = {"labels": LABELS_FILE, "answer": ANSWER_FILE}
    files |= {f"unit_{depth:02}": unit_file(depth) for depth in DEPTHS}
    least = [
        f"{key} = {{ {', '.join(f'{family} = {value}' for family, value in chosen.least[caution].items())} }}"
        for key, caution in _LEAST.items()
    ]
    lines = []
    for name in files.values():
        lines += ["[[file]]", f'path = "{FOLDER}/{name}"', "size = 0", 'sha256 = ""', 'licence = "MIT"', ""]
    lines += ["[brick.motion]", 'runtime = "onnxruntime-motion"', 'placement = "cpu"']
    lines += [f"memory_mib = {MEMORY_MIB}", "", "[brick.motion.files]"]
    lines += [f'{key} = "{FOLDER}/{name}"' for key, name in files.items()]
    lines += [
        "", "[brick.motion.settings]", f"depths = {list(DEPTHS)}", f"depth = {DEPTHS[chosen.depth]}",
        f"tokens = {shape.tokens}", f"width = {shape.width}", f"cells = {shape.tokens}",
        f"features = {shape.cells_width}", "shallower_too = true", *least,
        f"chosen = {json.dumps(chosen.sentence)}",
        f"encoder = {json.dumps(encoder)}",
    ]  # fmt: skip
    return "\n".join(lines) + "\n"


def _write(
    network: nn.Module,
    given: tuple[Tensor, ...],
    path: Path,
    names: list[str],
    output: str,
    axes: dict[str, dict[int, str]],
) -> None:
    """Writes a graph, and compares what it gives for twice as many units."""
    network.eval()
    torch.onnx.export(
        network, given, str(path), input_names=names, output_names=[output], dynamic_axes=axes,
        opset_version=_OPSET, dynamo=False,
    )  # fmt: skip
    more = tuple(
        torch.cat((each, each)) if name in axes else each for name, each in zip(names, given, strict=True)
    )
    with torch.no_grad():
        wanted = network(*more).numpy()
    session = onnxruntime.InferenceSession(str(path))
    found = session.run([output], {name: each.numpy() for name, each in zip(names, more, strict=True)})[0]
    if not np.allclose(found, wanted, atol=_CLOSE, rtol=_CLOSE):
        raise ValueError(f"{path} differs from the network by {np.abs(found - wanted).max():.2g}.")
