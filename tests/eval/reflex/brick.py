"""The reflex brick itself, with a network's files and settings."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

from models.brick import Brick, BrickError, Context
from models.bricks import reflex
from tests.eval.eye.page import Lacks
from tests.eval.reflex.network import Network


@contextmanager
def brick_of(network: Network) -> Iterator[Brick]:
    """The loaded brick. Raises Lacks."""
    brick: Brick = reflex.create(network.settings, Context())
    try:
        brick.load()
    except BrickError as error:
        raise Lacks(str(error)) from error
    try:
        yield brick
    finally:
        brick.release()
