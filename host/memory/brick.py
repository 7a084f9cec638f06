"""The memory brick: the store and its pictures in a process of their own; the main one does not grow."""

from __future__ import annotations

import io
from collections.abc import Iterator, Mapping
from contextlib import suppress
from pathlib import Path
from typing import Any

import numpy as np

from host.memory.requests import (
    Access,
    Begun,
    Between,
    Find,
    ForgetSince,
    Named,
    Picture,
    Place,
    Remember,
    Request,
    Retain,
    Rgb,
    Shallow,
    Surest,
    ThingsOf,
    TimeNow,
)
from host.memory.store import MemoryStore
from host.memory.values import Damaged, MemoryProblem, NewView
from models.brick import BrickError, Context
from models.process.child_main import free_model_memory

DAMAGED = "I cannot remember anything, because my memory is damaged; nothing of it was deleted."
"""Spoken; the file's name and what to do are told by `headband memory status`."""


class MemoryBrick:
    """Answers each of `host.memory.requests`; the store is opened by the first, and then holds no more than
    the settings allow.
    """

    def __init__(self) -> None:
        self._store: MemoryStore | None = None
        self._opened: tuple[Any, ...] = ()

    def load(self) -> None:
        """Nothing: what has to be opened stands in the first request."""

    def execute(self, request: Request) -> Iterator[Any]:
        try:
            store = self._store_of(request.access)
            now = request.access.now
            match request:
                case Remember():
                    yield store.add(self._view(request), now)
                case Find(vector=vector, encoder=encoder, count=count):
                    times = request.since_s, request.until_s
                    asked = request.thing, request.colour
                    yield tuple(store.search(vector, encoder, count, now, *times, *asked))
                case Place(vectors=vectors, depth=depth, encoder=encoder):
                    yield tuple(store.place_all(vectors, depth, encoder, request.things))
                case Shallow(encoder=encoder, depth=depth, before=before, count=count):
                    wanted = request.look_through
                    yield tuple(store.shallow(encoder, depth, before, count, look_through=wanted))
                case Between(since_s=since_s, until_s=until_s):
                    yield tuple(store.rows(now, since_s, until_s))
                case Surest(parts=parts, since_s=since_s, until_s=until_s):
                    yield tuple(store.surest(now, parts, since_s, until_s))
                case ThingsOf(numbers=numbers):
                    found = {number: store.things(number) for number in numbers}
                    yield {number: things for number, things in found.items() if things is not None}
                case Named(since_s=since_s, until_s=until_s):
                    yield tuple(store.named(now, since_s, until_s))
                case Picture(number=number):
                    yield _picture(store, number)
                case Begun(numbers=numbers, encoder=encoder):
                    for number in numbers:
                        activation = store.activation(number, encoder)
                        yield number, _picture(store, number) if activation is None else activation
                case ForgetSince(ago_s=ago_s, since_s=since_s, until_s=until_s):
                    since_s = store.time_of(now) - ago_s if ago_s is not None else since_s
                    yield from store.forgetting_since(0.0 if since_s is None else since_s, now, until_s)
                case Retain():
                    yield store.retain(now)
                case TimeNow():
                    yield store.time_of(now)
        except Damaged:
            self.release()
            raise BrickError(DAMAGED) from None
        except MemoryProblem as problem:
            self.release()
            raise BrickError(str(problem)) from None

    def release(self) -> None:
        if self._store is not None:
            self._store.close()
        self._store, self._opened = None, ()
        free_model_memory()

    def _store_of(self, access: Access) -> MemoryStore:
        path = Path(access.path)
        wanted = (path, access.key, access.config, _identity(path))
        if self._store is None or self._opened != wanted:
            self.release()
            self._store = MemoryStore(path, access.key, access.config)
            self._opened = (*wanted[:3], _identity(path))  # the file may have been made only now
            with suppress(MemoryProblem):  # what is asked tells it
                self._store.retain(access.now)
        return self._store

    def _view(self, request: Remember) -> NewView:
        return NewView(
            request.taken,
            _jpeg(request.rgb, request.access.config.picture_px, request.access.config.picture_quality),
            request.reason,
            request.vector,
            request.depth,
            request.encoder,
            request.kept,
            request.name,
            request.activation,
            request.things,
        )


def _identity(path: Path) -> tuple[int, int] | None:
    """Which file it is: another process may have deleted it, and everything with it."""
    try:
        found = path.stat()
    except OSError:
        return None
    return found.st_dev, found.st_ino


def _jpeg(rgb: Rgb, longest_px: int, quality: int) -> bytes:
    from PIL import Image

    picture = Image.fromarray(rgb)
    picture.thumbnail((longest_px, longest_px), Image.Resampling.BOX)
    out = io.BytesIO()
    picture.save(out, "JPEG", quality=quality)
    return out.getvalue()


def _picture(store: MemoryStore, number: int) -> Rgb | None:
    from PIL import Image

    try:
        jpeg = store.picture(number)
    except MemoryProblem:
        return None  # damaged
    return None if jpeg is None else np.asarray(Image.open(io.BytesIO(jpeg)).convert("RGB"))


def create(options: Mapping[str, Any], context: Context) -> MemoryBrick:
    """The brick, not yet loaded."""
    return MemoryBrick()
