"""Umbrellas, remote controls and medicine boxes, each in six forms."""

from __future__ import annotations

from models.train.world.variety.designs.medicine_boxes import draw_medicine_box
from models.train.world.variety.designs.remotes import draw_remote_control
from models.train.world.variety.designs.umbrellas import draw_umbrella

DESIGNS = {
    "umbrella": draw_umbrella,
    "remote control": draw_remote_control,
    "medicine box": draw_medicine_box,
}
"""How each of these kinds is drawn."""
