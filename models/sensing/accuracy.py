"""How probable a right answer is with each configuration, from the first units of a clip (E8 of MMEdge).

One small network reads the features of the first units, of a configuration and of the question's family; it
is trained on clips that the motion brick was not trained on, with one target for each question and
configuration: whether the answer was right.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from models import small_network
from models.sensing.configuration import Configuration
from models.sensing.features import VIEW_FEATURES, Floats, configuration_features
from models.small_network import Layer


@dataclass(frozen=True, eq=False)
class AccuracyPredictor:
    """families: names of the question families, in the order of the network's inputs. depths: of the space
    that it was trained with. usual: float32 [VIEW_FEATURES], the mean over training clips, which stands for
    units that were not looked at.
    """

    families: tuple[str, ...]
    depths: tuple[int, ...]
    layers: tuple[Layer, ...]
    usual: Floats

    def probabilities(
        self, view: Floats | None, family: str | None, configurations: Sequence[Configuration]
    ) -> Floats:
        """Of a right answer with each configuration, float32 [configurations], 0 to 1. view: of
        `view_features`, None where no unit was looked at. family: None until the words are known; one that
        the network does not know counts as None.
        """
        way = np.stack([configuration_features(each, self.depths) for each in configurations])
        fixed = np.concatenate([self.usual if view is None else view, family_features(family, self.families)])
        rows = np.concatenate([np.broadcast_to(fixed, (len(way), len(fixed))), way], axis=1)
        return small_network.probability(small_network.run(self.layers, rows)[:, 0])


def family_features(family: str | None, families: Sequence[str]) -> Floats:
    """1 at the family's place, and all 0 while it is not known."""
    return np.array([each == family for each in families], np.float32)


def inputs(families: int, depths: int) -> int:
    """Values that the network reads."""
    return VIEW_FEATURES + families + 3 + depths + 3 + 1
