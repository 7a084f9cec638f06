"""The eye of a pack as a network of PyTorch that computes the same, and its weights back in the graphs.

Only the form that `models.train.sight.export.vit` writes is known: one block in each group, an exit of
attention pooling. The stem stays with the pack's own runtime; everything here begins at depth 0.
"""

from __future__ import annotations

import copy
from collections.abc import Mapping, Sequence
from pathlib import Path

import numpy as np
import onnx
import torch
from onnx import numpy_helper
from torch import Tensor, nn

from models.pack.chain import ROWS, Chain, exit_key, group_key
from models.train.recall.heal.refusal import CannotHeal
from models.train.sight.restored import BLOCK, EXIT, Floats, load_block, load_exit, numbers_of, places_of
from models.train.sight.vit import Block, Exit

_ROWS = 3
"""Stored tensors of numbers in the graph of the rows."""
_ROUNDING = 1e-6
"""Relative: what a query's weights lose when they are multiplied by the root of a head's width and back."""


class Eye(nn.Module):
    """Blocks, an exit after each of `depths`, ascending, and the norm of the decoder's rows."""

    def __init__(self, blocks: Sequence[Block], exits: Mapping[int, Exit], norm: nn.LayerNorm) -> None:
        super().__init__()
        self.depths = tuple(sorted(exits))
        self.blocks = nn.ModuleList(blocks)
        self.exits = nn.ModuleDict({str(depth): exits[depth] for depth in self.depths})
        self.norm = norm

    def through(self, activations: Tensor, start: int, end: int) -> Tensor:
        """Activations of depth `start` [b, tokens, width] -> those of depth `end`."""
        for block in self.blocks[start:end]:
            activations = block(activations)
        return activations

    def place(self, activations: Tensor, depth: int) -> Tensor:
        """Activations of that depth -> places in the recall space, [b, embedding] of length 1."""
        placed: Tensor = self.exits[str(depth)](activations)
        return placed

    def rows(self, activations: Tensor) -> Tensor:
        """Activations of full depth -> what the decoder reads, without the values of positions."""
        normed: Tensor = self.norm(activations)
        return normed

    def copied(self, depths: Sequence[int] = (), *, untrained: bool = False) -> Eye:
        """A copy with the exits of `depths` only, all for none named. untrained: each exit is the one of full
        depth, as in an encoder that was never taught to stop early.
        """
        own = copy.deepcopy(self)
        last = str(own.depths[-1])
        own.depths = tuple(depths) or own.depths
        own.exits = nn.ModuleDict(
            {str(depth): copy.deepcopy(own.exits[last if untrained else str(depth)]) for depth in own.depths}
        )
        return own


def read(files: Mapping[str, Path], chain: Chain) -> Eye:
    """The eye of a chain's files by their keys. Raises CannotHeal for one of another form."""
    if len(set(chain.groups)) != 1 or chain.groups[0] != 1 or chain.exits[-1:] != (len(chain.groups),):
        raise CannotHeal("Only an eye with one block in each group and an exit at full depth can be healed.")
    try:
        blocks = [_block(files[group_key(number + 1)]) for number in range(len(chain.groups))]
        exits = {chain.depths[number]: _exit(files[exit_key(number)]) for number in chain.exits}
        gain, bias, _ = _numbers(files[ROWS], _ROWS)
    except (ValueError, RuntimeError, IndexError) as error:
        raise CannotHeal("The eye's graphs are not of the form that can be healed.") from error
    norm = nn.LayerNorm(len(gain))
    norm.load_state_dict({"weight": torch.tensor(gain), "bias": torch.tensor(bias)})
    return Eye(blocks, exits, norm).eval().requires_grad_(False)


def write(eye: Eye, files: Mapping[str, Path], chain: Chain) -> None:
    """Puts the eye's weights into a chain's files, each of the same form as before."""
    with torch.no_grad():
        for number, block in enumerate(eye.blocks, 1):
            _put(files[group_key(number)], _of_block(block))
        for number in chain.exits:
            _put(files[exit_key(number)], _of_exit(eye.exits[str(chain.depths[number])]))


def _numbers(path: Path, count: int) -> list[Floats]:
    """The stored tensors of several numbers, in the file's order. Raises ValueError for another count."""
    found = numbers_of(path)
    if len(found) != count:
        raise ValueError(f"{path.name} has {len(found)} tensors")
    return found


def _put(path: Path, values: Sequence[Floats]) -> None:
    """Replaces what differs by more than rounding, so that the other files keep their bits."""
    model, changed = onnx.load(str(path)), False
    for at, value in zip(places_of(model.graph), values, strict=True):
        tensor = model.graph.initializer[at]
        if not np.allclose(numpy_helper.to_array(tensor), value, rtol=_ROUNDING, atol=0):
            tensor.CopyFrom(numpy_helper.from_array(np.ascontiguousarray(value), tensor.name))
            changed = True
    if changed:
        onnx.save(model, str(path))


def _heads(path: Path) -> int:
    """Of a group's attention, from the first shape with four sizes."""
    shapes = (numpy_helper.to_array(each) for each in onnx.load(str(path)).graph.initializer)
    return next(int(each[2]) for each in shapes if each.dtype == np.int64 and each.shape == (4,))


def _block(path: Path) -> Block:
    numbers, heads = _numbers(path, BLOCK), _heads(path)
    width, hidden = numbers[12].shape
    block = Block(width, hidden, heads)
    load_block(block, numbers)
    return block


def _of_block(block: nn.Module) -> list[Floats]:
    assert isinstance(block, Block)
    width = block.out.in_features
    scales = ((width // block.heads) ** -0.5, 1.0, 1.0)
    parts = zip(block.qkv.weight.split(width), block.qkv.bias.split(width), scales, strict=True)
    products = [each for weight, bias, scale in parts for each in (weight.T * scale, bias * scale)]
    return [each.detach().numpy() for each in (
        block.norm1.weight, block.norm1.bias, *products, block.out.weight.T, block.out.bias,
        block.norm2.weight, block.norm2.bias, block.up.weight.T, block.up.bias,
        block.down.weight.T, block.down.bias,
    )]  # fmt: skip


def _exit(path: Path) -> Exit:
    numbers = _numbers(path, EXIT)
    leave = Exit(len(numbers[0]), len(numbers[4]), numbers[5].shape[1])
    load_exit(leave, numbers)
    return leave


def _of_exit(leave: nn.Module) -> list[Floats]:
    assert isinstance(leave, Exit)
    return [each.detach().numpy() for each in (
        leave.norm.weight, leave.norm.bias, leave.key.weight.T, leave.key.bias, leave.queries,
        leave.out.weight.T, leave.out.bias,
    )]  # fmt: skip
