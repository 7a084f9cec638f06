"""How large pictures are drawn for a pack."""

from __future__ import annotations

from models.pack.catalogue import Pack
from models.train.world.scenes import SIDE_PX


def side_px(pack: Pack) -> int:
    """The side of a picture as the pack's eye takes it; the usual one where the manifest does not say."""
    return int(pack.bricks["vision"].options.get("side_px") or SIDE_PX)
