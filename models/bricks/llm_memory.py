"""Prefix cache of a decoder: fixed text and pictures in the KV cache are not evaluated twice."""

from __future__ import annotations

import contextlib
from collections.abc import Iterator
from typing import Any, Protocol

import numpy as np
from llama_cpp import llama_cpp as native
from numpy.typing import NDArray

from models.brick import BrickError, Embedding, Prefilled, RingView
from models.bricks.llm_state import set_state, state_of
from models.ring.ring import SlotGone

_SEQUENCE = 0
STEP_ROWS = 128
"""Rows evaluated between two states that are sent."""


class DecoderInput(Protocol):
    """Evaluates input. All raise `Cancelled` and `BrickError`."""

    def feed_tokens(self, tokens: NDArray[np.int32]) -> None: ...

    def feed_rows(self, rows: NDArray[np.float32]) -> None: ...


class PrefixCache:
    """The prefix in the KV cache of one llama.cpp context: fixed text, then pictures, in order, with a text
    between each two.
    """

    def __init__(
        self,
        context: Any,
        before: NDArray[np.int32],
        between: NDArray[np.int32],
        feed: DecoderInput,
        ring: RingView | None,
    ) -> None:
        self._context = context
        self._before = before
        self._between = between
        self._feed = feed
        self._ring = ring
        self._held: list[tuple[object, int]] = []
        """Key of each part (None: the fixed text; a picture's part begins with the text between), and the
        position after it.
        """

    def mark_prefix_restored(self) -> None:
        """The fixed text was restored from a stored state."""
        self._held = [(None, len(self._before))]

    def clear(self) -> None:
        """Make the cache hold nothing."""
        self._trim([])

    def prefill(self, images: tuple[Embedding, ...], *, keep: bool, ahead: Prefilled | None = None) -> int:
        """Make the cache hold the fixed text and these pictures only; returns the position after them.

        keep: the pictures' ring slots stay filled. ahead: state of another process, with the picture
        prefilled.
        """
        wanted = [None, *(image.slot or object() for image in images)]
        same, end = self._trim(wanted)
        part = 0
        if ahead is not None and ahead.state and len(images) == 1 and same < len(wanted):
            part = self._restore_state(ahead)
            same, end = (1, ahead.n_tokens) if part else self._trim([])
        for index, what in enumerate(wanted):
            if index < same:
                if index and not keep:
                    self._free_slot(images[index - 1])
                continue
            if index == 0:
                self._feed.feed_tokens(self._before)
                end += len(self._before)
            else:
                if index > 1 and len(self._between):
                    self._feed.feed_tokens(self._between)
                    end += len(self._between)
                with self.rows(images[index - 1], keep=keep) as rows:
                    self._feed.feed_rows(rows[part:])
                    end += len(rows) - part
            self._held.append((what, end))
        return end

    def prefill_in_steps(self, image: Embedding) -> Iterator[Prefilled]:
        """Evaluate text and one picture in steps; yields the state after each. The slot stays filled."""
        _, end = self._trim([None])
        if not self._held:
            self._feed.feed_tokens(self._before)
            end = len(self._before)
            self._held.append((None, end))
        with self.rows(image, keep=True) as rows:
            for start in range(0, len(rows), STEP_ROWS):
                step = rows[start : start + STEP_ROWS]
                self._feed.feed_rows(step)
                end += len(step)
                yield Prefilled(end, state_of(self._context))
        self._held.append((image.slot or object(), end))

    @contextlib.contextmanager
    def rows(self, image: Embedding, *, keep: bool) -> Iterator[NDArray[np.float32]]:
        """Rows in place in the ring; afterwards the slot is freed, unless `keep` or an error."""
        if image.slot is None:
            yield np.ascontiguousarray(image.rows, np.float32)
            return
        if self._ring is None:
            raise BrickError("The picture lies in a ring that this process can't see.")
        try:
            slot = self._ring.acquire(image.slot)
        except SlotGone as error:
            raise BrickError("The picture was dropped before it could be looked at.") from error
        try:
            yield np.ascontiguousarray(slot.array, np.float32)
        except BaseException:
            slot.release(keep=True)
            raise
        slot.release(keep=keep)

    def _trim(self, wanted: list[object]) -> tuple[int, int]:
        """Remove all but the common prefix; returns its number of parts and the position after it."""
        same = 0
        while same < min(len(wanted), len(self._held)) and self._held[same][0] == wanted[same]:
            same += 1
        del self._held[same:]
        end = self._held[-1][1] if self._held else 0
        memory = native.llama_get_memory(self._context)
        if not native.llama_memory_seq_rm(memory, _SEQUENCE, end, -1):
            native.llama_memory_clear(memory, False)
            self._held, end, same = [], 0, 0
        return same, end

    def _restore_state(self, ahead: Prefilled) -> int:
        """Restore the state; returns how many rows of the picture it holds. 0 when it does not fit: then the
        cache is invalid.
        """
        self._trim([])
        if not set_state(self._context, ahead.state):
            return 0
        self.mark_prefix_restored()
        return max(0, ahead.n_tokens - len(self._before))

    def _free_slot(self, image: Embedding) -> None:
        """Free the ring slot of a picture that is already in the cache."""
        if image.slot is not None and self._ring is not None:
            with contextlib.suppress(SlotGone):
                self._ring.acquire(image.slot).release()
