"""The memory of the settings, opened for one action of `headband memory`, and searched by words."""

from __future__ import annotations

import argparse
import asyncio
from collections.abc import Iterator, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path

from host.app.open_board import chosen_board, open_board, usable_npu
from host.config import Config, with_pack
from host.memory.files import files
from host.memory.key import CODE, DATABASE, KEEPER, is_lost, known_key
from host.memory.store import MemoryStore
from host.memory.values import Match, MemoryProblem, Moment, NotHere
from host.terminal.settings_file import chosen_settings
from host.terminal.usage import UsageError
from host.wearer.saved_settings import memory_folder, memory_key_file
from hw.board import Board
from hw.device import DeviceError
from hw.linux.system_clock import SystemClock, boot_id
from models.brick import Phrase, Recall
from models.pack.catalogue import load_pack
from models.process.bricks import Bricks
from models.process.residency import Residency

NOTHING = "Nothing is remembered yet."
GONE = (
    "The memory's key is gone, so what was remembered can't be read: put the key back from a copy, or give "
    "it up with `headband memory forget --all`, as a headband that runs does."
)


@dataclass
class Opened:
    """The store of these settings, opened when it is first used."""

    config: Config
    folder: Path
    board: Board
    now: Moment
    opened: MemoryStore | None = None

    @property
    def exists(self) -> bool:
        """Whether there is a memory, or a key for one; also where the key can't be read."""
        assert self.board.key_page is not None
        try:
            return bool(files(self.folder / DATABASE)) or self.board.key_page.present()
        except DeviceError:
            return True

    @property
    def files(self) -> list[Path]:
        """What the memory is made of, as far as it is there: nothing may be saved over it."""
        beside = (self.folder / CODE, self.folder / KEEPER, memory_key_file(self.config))
        return [*files(self.folder / DATABASE), *(each for each in beside if each is not None)]

    @property
    def store(self) -> MemoryStore:
        """The store. Raises `NotHere` when nothing is remembered, `MemoryProblem` when it can't be read."""
        if self.opened is None:
            assert self.board.key_page is not None
            if is_lost(self.board.key_page, self.folder):
                raise MemoryProblem(GONE)  # who only looks deletes nothing
            key = known_key(self.board.key_page, self.folder)
            if key is None or not files(self.folder / DATABASE):
                raise NotHere(NOTHING)
            self.opened = MemoryStore(
                self.folder / DATABASE, key, self.config.memory, create=False, alone=True
            )
            with suppress(MemoryProblem):  # the action tells it
                while self.opened.retain(self.now):
                    pass
        return self.opened


@contextmanager
def opened_memory(options: argparse.Namespace) -> Iterator[Opened]:
    """Closes store and board at the end. Raises `UsageError`."""
    config = chosen_settings(options.config)
    folder = memory_folder(config)
    if folder is None:
        raise UsageError("Nothing is kept here ([journal] path is empty), so there is no memory.")
    board = open_board(chosen_board(config.board, options.board), key_file=memory_key_file(config))
    clock = SystemClock()
    opened = Opened(config, folder, board, Moment(boot_id(), clock.monotonic(), clock.time()))
    try:
        if board.key_page is None:
            raise UsageError("This board has no microcontroller that keeps the memory's key.")
        yield opened
    finally:
        if opened.opened is not None:
            opened.opened.close()
        with suppress(DeviceError):
            asyncio.run(board.close())


def found_by_words(
    opened: Opened, options: argparse.Namespace, questions: Sequence[str], count: int, since_s: float | None
) -> list[list[Match]]:
    """The views that are most like each of these questions, at most `count`, from `since_s` on, seconds since
    1970. Raises `UsageError` for a pack that can't place words.
    """
    pack = load_pack(with_pack(opened.config, options.pack).pack, npu=usable_npu(opened.config.board))
    if "text" not in pack.bricks:
        raise UsageError(f"Pack '{pack.name}' has no text tower, so views can't be searched by words.")

    async def placed() -> list[Recall]:
        bricks = Bricks(pack)
        try:
            await bricks.apply(Residency("one_at_a_time"))
            return [recall for words in questions async for recall in bricks.run("text", Phrase(words))]
        finally:
            await bricks.close()

    store = opened.store  # before the tower is loaded: there may be nothing to search
    return [
        store.search(recall.vector, recall.encoder, count, opened.now, since_s)
        for recall in asyncio.run(placed())
    ]
