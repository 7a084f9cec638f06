"""Writes the object detector beside the reflex brick of a pack, whose process runs it."""

from __future__ import annotations

import json
import re
import shutil
import tomllib
from collections.abc import Mapping
from pathlib import Path

import numpy as np
import onnxruntime
import torch

from models.pack.things_file import GRAPH, LABELS, Things
from models.train.detector.labels import QUALITIES, SIGN, SURFACES
from models.train.detector.model import CELL_OUTPUTS, PICTURE_OUTPUTS, Detector
from models.train.new_files import replaced
from models.train.world.grammar import COLOURS, SHAPES
from models.train.world.home.splits import KINDS, PLACES

FOLDER, MANIFEST = "reflex", "brick.toml"
_CLOSE = 1e-4
_OPSET = 17


def reflex_part(manifest: str) -> str:
    """The tables of a pack's manifest that are the reflex brick's."""
    own = re.compile(r'\[brick\.reflex[.\]]|\[\[file\]\]\s+path = "reflex/')
    return "".join(table for table in re.split(r"(?m)^(?=\[)", manifest) if own.match(table))


def with_detector(part: str) -> str:
    """The reflex brick's tables with the files of the detector."""
    lines = [line for line in part.splitlines() if not line.startswith(("things = ", "detector = "))]
    files = {"detector": f"{FOLDER}/{GRAPH}", "things": f"{FOLDER}/{LABELS}"}
    at = lines.index("[brick.reflex.files]") + 1
    lines[at:at] = [f'{key} = "{path}"' for key, path in files.items()]
    text = "\n".join(lines) + "\n"
    listed = "".join(
        f'[[file]]\npath = "{path}"\nsize = 0\nsha256 = ""\nlicence = "MIT"\n\n'
        for path in files.values()
        if f'path = "{path}"' not in text
    )
    return listed + text


def export(model: Detector, pack: Path, out: Path, settings: Mapping[str, object], encoder: str) -> None:
    """Writes `out`/reflex: the reflex brick of `pack` with this detector, for `models.train.pack --reflex`.
    settings: the further fields of `Things`. encoder: the last part of the identity of the eye that it reads.
    Raises ValueError where the graph differs from the network.
    """
    part = with_detector(reflex_part((pack / "pack.toml").read_text(encoding="utf-8")))
    with replaced(out / FOLDER) as unfinished:
        for path in tomllib.loads(part)["brick"]["reflex"]["files"].values():
            if (pack / path).exists():
                shutil.copyfile(pack / path, unfinished / Path(path).name)
        write_graph(model, unfinished / GRAPH)
        things = Things(
            encoder=encoder, shapes=SHAPES, sign=SIGN, things=KINDS, colours=COLOURS, surfaces=SURFACES,
            places=PLACES, qualities=QUALITIES, cells=dict(CELL_OUTPUTS), picture=dict(PICTURE_OUTPUTS),
            **settings,  # type: ignore[arg-type]
        )  # fmt: skip
        (unfinished / LABELS).write_text(json.dumps(vars(things), indent=1) + "\n", encoding="utf-8")
        (unfinished / MANIFEST).write_text(part, encoding="utf-8")


def write_graph(model: Detector, path: Path) -> None:
    """Writes the graph for one picture, and compares what it gives."""
    model.eval()
    rows = torch.randn(1, model.shape.tokens, model.shape.width)
    torch.onnx.export(
        model, (rows,), str(path), input_names=["rows"], output_names=["cells", "picture"],
        opset_version=_OPSET, dynamo=False,
    )  # fmt: skip
    with torch.no_grad():
        wanted = model(rows)
    session = onnxruntime.InferenceSession(str(path))
    for found, each in zip(session.run(None, {"rows": rows.numpy()}), wanted, strict=True):
        if not np.allclose(found, each.numpy(), atol=_CLOSE, rtol=_CLOSE):
            raise ValueError(f"{path} differs from the network.")
