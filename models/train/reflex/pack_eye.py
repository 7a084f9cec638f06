"""An eye of a pack as the headband runs it, with the pack's own way to resize, for training on its rows."""

from __future__ import annotations

import importlib
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from models.brick import Brick, BrickError, Context, Embedding, Frame
from models.pack.catalogue import PackError, load_pack
from models.pack.chain import EYE, RECALL_EYE
from models.train.reflex.vqa.record import DataError

EYES = (EYE, RECALL_EYE)


class PackEye:
    """The vision brick of a pack, or the memory's own eye (`recall`). identity: the last part of the
    encoder's identity, as the pack has it.
    """

    def __init__(self, folder: Path, brick: str = EYE) -> None:
        """Raises DataError for a pack that can't be used."""
        try:
            pack = load_pack(folder)
            if brick not in pack.bricks:
                raise DataError(f"The pack {folder} has no brick '{brick}'.")
            spec = pack.bricks[brick]
            self._brick: Brick = importlib.import_module(spec.module).create(dict(spec.options), Context())
            self._brick.load()
        except (PackError, BrickError) as error:
            raise DataError(str(error)) from error
        self.identity = str(spec.options["encoder"]).rpartition(" ")[2]

    def picture_rows(self, picture: NDArray[np.uint8]) -> NDArray[np.float16]:
        """Of a picture of any size, uint8 [height, width, 3]: float16 [tokens, width]."""
        (embedding,) = self._brick.execute(Frame(picture))
        assert isinstance(embedding, Embedding) and embedding.rows is not None
        return embedding.rows.astype(np.float16)
