"""The weights of a motion brick, read back from its graphs, so that training can go on from them.

An eye that was trained further gives activations that are near the earlier ones; a brick for it learns sooner
from the brick of the earlier eye than from nothing.
"""

from __future__ import annotations

from pathlib import Path

import onnx
import torch
from onnx import numpy_helper
from torch import Tensor

from models.train.motion.export import ANSWER_FILE, FOLDER, unit_file
from models.train.motion.features import DEPTHS
from models.train.motion.model import Motion

_LATER = (("matching", "came"), ("steady",), ("in_room",))
"""Parts of the network that earlier bricks lack, those together that came together."""


def start_from(model: Motion, pack: Path) -> None:
    """Gives the network the weights of the brick in `pack`/motion. Raises OSError without one, KeyError or
    RuntimeError where it has another form. A brick that lacks a later part (comparing cells, the turn of the
    head) begins with one that adds nothing.
    """
    graphs = {unit_file(depth): f"units.{place}." for place, depth in enumerate(DEPTHS)} | {ANSWER_FILE: ""}
    state = model.state_dict()
    found: dict[str, Tensor] = {}
    for name, prefix in graphs.items():
        found |= {prefix + key: each for key, each in _weights(pack / FOLDER / name).items()}
    new: set[str] = set()
    for names in _LATER:
        part = {key for key in state if set(names) & set(key.split("."))}
        new |= set() if part & set(found) else part
    kept = {"answer.temperature", "answer.places"} | new
    model.load_state_dict({key: state[key] if key in kept else found[key] for key in state})


def _weights(path: Path) -> dict[str, Tensor]:
    """By the names of the network. What multiplies has a name of the exporter's own, and the transpose of the
    network's matrix; the bias that is added to the product says whose it is.
    """
    graph = onnx.load(path).graph
    found = {each.name: torch.from_numpy(numpy_helper.to_array(each).copy()) for each in graph.initializer}
    products = {each.output[0]: each.input[1] for each in graph.node if each.op_type == "MatMul"}
    for node in graph.node:
        if node.op_type != "Add":
            continue
        bias = next((name for name in node.input if name in found), None)
        product = next((products[name] for name in node.input if name in products), None)
        if bias is not None and product in found:
            found[bias.removesuffix("bias") + "weight"] = found[product].T.contiguous()
    return found
