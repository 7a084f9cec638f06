"""How people ask about what the camera shows of the drawn shapes. No training question has a wording of
`HELD_OUT`.
"""

from __future__ import annotations

from models.train.world.wording.changes import CHANGES
from models.train.world.wording.held_out import HELD_OUT
from models.train.world.wording.places import PLACES
from models.train.world.wording.texts import Texts
from models.train.world.wording.things import THINGS

__all__ = ["CLIP", "HELD_OUT", "SCENE"]

SCENE: Texts = {**THINGS, **PLACES}
"""Questions about one picture."""
CLIP = CHANGES
"""Questions about two pictures."""
