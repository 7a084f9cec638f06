"""What people carry in a pocket: keys, wallets and phones, in six forms each."""

from __future__ import annotations

from models.train.world.variety.designs.pocket_keys import draw_keys
from models.train.world.variety.designs.pocket_phone import draw_phone
from models.train.world.variety.designs.pocket_wallet import draw_wallet

__all__ = ["DESIGNS", "draw_keys", "draw_phone", "draw_wallet"]

DESIGNS = {"keys": draw_keys, "wallet": draw_wallet, "phone": draw_phone}
"""How each kind of this module is drawn."""
