"""More hidden units for blocks that are trained on: what they compute stays the same at first.

A new unit reads at random and writes nothing yet (Net2Net, Chen et al. 2016, with outputs of zero in place of
copies).
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace

import torch
from torch import Tensor, nn

from models.train.sight.model import DecoderBlock, Vlm
from models.train.sight.vit import Block

_SEED = 11


def widened(model: Vlm, eye: Sequence[int], decoder: int) -> None:
    """Gives each of the eye's blocks, and each of the decoder's, so many hidden units, in place; those with
    as many or more stay as they are. The new units are the same at each call.
    """
    generator = torch.Generator().manual_seed(_SEED)
    for block, hidden in zip(model.vit.blocks, eye, strict=True):
        assert isinstance(block, Block)
        block.up, block.down = _more_up(block.up, hidden, generator), _more_down(block.down, hidden)
    for layer in model.decoder.blocks:
        assert isinstance(layer, DecoderBlock)
        layer.gate = _more_up(layer.gate, decoder, generator)
        layer.up, layer.down = _more_up(layer.up, decoder, generator), _more_down(layer.down, decoder)
    if decoder > model.decoder.config.hidden:
        model.decoder.config = replace(model.decoder.config, hidden=decoder)


def hidden_units(state: Mapping[str, Tensor], part: str) -> list[int]:
    """Hidden units of the blocks of "vit" or "decoder" in a network's weights."""
    name = f"{part}.blocks.{{}}.up.weight"
    found: list[int] = []
    while name.format(len(found)) in state:
        found.append(len(state[name.format(len(found))]))
    return found


def _more_up(layer: nn.Linear, hidden: int, generator: torch.Generator) -> nn.Linear:
    missing = hidden - layer.out_features
    if missing <= 0:
        return layer
    wide = nn.Linear(layer.in_features, hidden, bias=layer.bias is not None)
    spread = layer.weight.detach().std()
    with torch.no_grad():
        new = torch.randn(missing, layer.in_features, generator=generator) * spread
        wide.weight.copy_(torch.cat((layer.weight.detach().cpu(), new)))
        if layer.bias is not None:
            wide.bias.copy_(torch.cat((layer.bias.detach().cpu(), torch.zeros(missing))))
    return wide


def _more_down(layer: nn.Linear, hidden: int) -> nn.Linear:
    missing = hidden - layer.in_features
    if missing <= 0:
        return layer
    wide = nn.Linear(hidden, layer.out_features, bias=layer.bias is not None)
    with torch.no_grad():
        wide.weight.copy_(torch.cat((layer.weight.detach(), torch.zeros(layer.out_features, missing)), 1))
        if layer.bias is not None:
            wide.bias.copy_(layer.bias.detach())
    return wide
