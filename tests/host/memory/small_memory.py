"""A memory with its real store, and an eye of three blocks for which a picture is its brightness."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Callable
from pathlib import Path
from types import SimpleNamespace
from typing import Any, cast

import numpy as np

from host.config import ListenConfig, MemoryConfig
from host.memory.brick import MemoryBrick
from host.memory.client import MemoryClient
from host.memory.values import Moment, Vector
from host.sensing.kept_views import KeptViews
from host.turn.recalling.view_places import ViewPlaces
from host.turn.tools import Tools
from host.turn.view_encoder import ViewEncoder
from hw.emulated.clock import FakeClock
from hw.key_page import Keeper, KeyPage
from models.brick import Activation, BrickError, Embed, Encode, Phrase, Recall, Resume, Rows
from models.detection import Candidate, Detect, Detection
from models.pack.chain import exit_key, group_key
from models.process.bricks import Bricks

THINGS = Path("models/packs/micro/reflex/things.json")
WHOLE = 3
ENCODER = "pack 1 0123"
QUERY = np.array([1.0, 0.0], np.float32)


def towards(cosine: float) -> Vector:
    """A place of that cosine to `QUERY`."""
    return np.array([cosine, np.sqrt(1 - cosine**2)], np.float32)


def whole_place(brightness: float) -> Recall:
    """At full depth the brighter picture fits better."""
    return Recall(towards(round(brightness / 10) / 25), WHOLE, ENCODER)


def early_place(brightness: float) -> Recall:
    """After the first block the darker one seems to."""
    return Recall(towards(1 - brightness / 250), 1, ENCODER)


def detected_in(brightness: float) -> Detection:
    """The object detector's answer about a picture: the brighter, the surer keys are there."""
    what = (("keys", min(1.0, brightness / 250)),)
    found = (Candidate(0.5, 0.5, 0.1, 0.1, what, (("red", 1.0),)),)
    return Detection(found, (), ("keys",), "sign", ("red",))


def _rows(brightness: float, depth: int) -> Activation:
    return Activation(depth, ENCODER, np.full((1, 2), brightness, np.float32))


class _Key:
    """Keeps one key, in memory."""

    keeper: Keeper = "file"

    def __init__(self) -> None:
        self._kept: bytes | None = None

    def present(self) -> bool:
        return self._kept is not None

    def read(self, code: bytes) -> bytes:
        assert self._kept is not None
        return self._kept

    def keep(self, code: bytes, key: bytes) -> None:
        self._kept = key

    def destroy(self) -> None:
        self._kept = None


class SmallMemory:
    """Runs bricks in this process. `asked` has every request; `costs_s` is the eye's time for a picture;
    `at_eye` and `at_detector` are called before they answer, and may raise.
    """

    def __init__(
        self,
        folder: Path,
        *,
        deepens: int = 4,
        looks: int = 3,
        charging: bool = False,
        detects: bool = False,
    ) -> None:
        """detects: the pack has an object detector, which finds keys in bright pictures."""
        self.clock = FakeClock()
        self.asked: list[tuple[str, object]] = []
        self.told: list[dict[str, Any]] = []
        self.held: list[Activation] = []
        self.costs_s = 0.0
        self.at_eye: Callable[[], object] = lambda: None
        self.at_detector: Callable[[], object] = lambda: None
        self.in_memory = {"reflex"} if detects else set[str]()
        keys = ["stem", "rows", *(key(n) for n in (1, 2, 3) for key in (group_key, exit_key))]
        options: dict[str, Any] = dict.fromkeys(keys, "")
        options |= {"groups": [1, 1, 1], "side_px": 8, "embedding": 2, "encoder": ENCODER}
        text = SimpleNamespace(options={})
        bricks_of = {"vision": SimpleNamespace(options=options), "text": text}
        if detects:
            bricks_of["reflex"] = SimpleNamespace(options={"things": str(THINGS)})
        self.pack = SimpleNamespace(bricks=bricks_of, detection=object() if detects else None)
        self.names = {"vision", "text"}
        self._store = MemoryBrick()
        bricks = cast(Bricks, self)
        self.memory = MemoryClient(bricks, folder, cast(KeyPage, _Key()), MemoryConfig(), self._now)
        kept = KeptViews(lambda encoded: None)
        self.encoder = ViewEncoder(bricks, kept, self.clock.monotonic, self._observe, ListenConfig())
        self.places = ViewPlaces(bricks, kept, self.encoder, self._observe)
        self.plan = SimpleNamespace(
            recall_deepens=deepens, recall_looks=looks, deepens_memory=charging, latency_target_s=4.0
        )
        power = SimpleNamespace(plan=self.plan)
        self.tools = cast(Tools, SimpleNamespace(
            bricks=bricks, memory=self.memory, view_places=self.places, clock=self.clock, power=power,
            observe=self._observe,
        ))  # fmt: skip

    async def saw(self, brightness: int, place: Recall | None, *, begun: bool = False) -> int:
        """Remembers a picture, with what it is taken on from where `begun`; its number."""
        self.clock.jump(1.0)
        rgb = np.full((16, 16, 3), brightness, np.uint8)
        return await self.memory.remember(
            rgb, self._now(), "new", place, activation=_rows(brightness, 1) if begun else None
        )

    async def depths(self) -> list[int]:
        """Of all views, oldest first."""
        return [row.depth for row in await self.memory.rows()]

    async def run(self, name: str, request: Any) -> AsyncIterator[Any]:
        self.asked.append((name, request))
        match request:
            case Phrase():
                yield Recall(QUERY, WHOLE, ENCODER)
            case Encode(frames=frames, depth=depth):
                self.at_eye()
                await asyncio.sleep(0)
                self.clock.jump(self.costs_s * len(frames))
                for rgb in frames:
                    yield self._made(rgb.mean(), depth)
            case Resume(activations=activations, depth=depth):
                self.at_eye()
                for each in activations:
                    assert each.rows is not None and each.depth < depth
                    yield self._made(each.rows[0, 0], depth)
            case Rows(activations=activations):
                for each in activations:
                    self.held.append(each)
                    yield each
            case Detect(image=image):
                self.at_detector()
                assert isinstance(image, Activation) and image.rows is not None
                yield detected_in(float(image.rows[0, 0]))
            case Embed(activations=activations):
                for each in activations:
                    assert each.depth == WHOLE and each.rows is not None
                    yield whole_place(float(each.rows[0, 0]))
            case _:
                for answer in self._store.execute(request):
                    yield answer

    def _made(self, brightness: float, depth: int) -> Activation:
        self.held.append(_rows(brightness, depth))
        return self.held[-1]

    def pids(self) -> dict[str, int]:
        return dict.fromkeys(self.in_memory, 1)

    def add(self, spec: Any) -> None:
        self.names.add(spec.name)

    def load_when_needed(self, names: object) -> None:
        pass

    async def release(self, name: str) -> None:
        self._store.release()

    def discard(self, data: Activation) -> None:
        self.held.remove(data)

    def refuse(self) -> None:
        """For `at_eye` and `at_detector`: it fails."""
        raise BrickError("It refuses.")

    def _now(self) -> Moment:
        return Moment("b1", self.clock.monotonic(), self.clock.time())

    def _observe(self, event: str, fields: Any) -> None:
        self.told.append({"event": event, **fields})
