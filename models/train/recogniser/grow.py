"""A recogniser with more encoder layers that computes what the smaller one computes, to be trained further.

Each further layer is a copy of the one before it whose two outputs are zero, so that at first it adds nothing
to what passes it (Shen et al. 2022, "Staged training for transformer language models").
"""

from __future__ import annotations

import re
from collections.abc import Mapping

import numpy as np

_LAYER = re.compile(r"encoder\.blocks\.(\d+)\.(.+)")
_OUTPUTS = ("attn.out.weight", "attn.out.bias", "mlp.2.weight", "mlp.2.bias")


def grown(tensors: Mapping[str, np.ndarray], layers: int) -> dict[str, np.ndarray]:
    """The tensors of the same model with `layers` encoder layers; raises ValueError where it has more."""
    parts = {name: found for name in tensors if (found := _LAYER.fullmatch(name))}
    had = 1 + max(int(found[1]) for found in parts.values())
    if had > layers:
        raise ValueError(f"The model has {had} encoder layers, more than {layers}.")
    made = {name: value for name, value in tensors.items() if name not in parts}
    sources = [layer * had // layers for layer in range(layers)]
    for layer, source in enumerate(sources):
        added = layer > 0 and sources[layer - 1] == source
        for name, found in parts.items():
            if int(found[1]) == source:
                zero = added and found[2] in _OUTPUTS
                value = np.zeros_like(tensors[name]) if zero else tensors[name]
                made[f"encoder.blocks.{layer}.{found[2]}"] = value
    return made
