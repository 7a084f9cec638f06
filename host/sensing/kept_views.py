"""The views that the gate kept last, how deep each is encoded, and which of that stays in memory.

Everything is in memory only. An encoding is lent to a question (`take`) and given back (`store`).
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from host.sensing.view_gate import KEPT_VIEWS, GateCounts, Measured, Rgb, Verdict, difference, gate
from models.brick import Activation, Embedding
from models.sensing.picture_quality import Quality

SURELY_SAME_LEVELS = 4.0
"""Up to this `difference` a question may be answered from the earlier picture. Of 2,500 changes of one
thing, in the drawn home or in a stranger's pictures, this overlooks 3; `python -m
tests.eval.sight.view_gate` has the share.
"""
REUSED_S = 5.0
"""So long an earlier picture stands for later ones of the same view, seconds: the thumbnails do not show
small things, such as the words on a display.
"""


@dataclass(frozen=True, eq=False)
class Encoded:
    """What the vision encoder made of one picture. measured, taken_s: of that picture; depth: blocks that it
    has passed; data: an `Embedding` at the encoder's whole depth, else an `Activation`.
    """

    measured: Measured
    taken_s: float
    depth: int
    data: Activation | Embedding


@dataclass(eq=False)
class KeptView:
    """A view that the gate kept. measured, taken_s: of the picture that stands for it, the encoded one if
    there is one.
    """

    measured: Measured
    taken_s: float
    encoded: Encoded | None = None


@dataclass(frozen=True, eq=False)
class View:
    """A picture: `rgb` uint8 [h, w, 3]; `taken_s` on the board's monotonic clock; kept: the view that it
    shows, None if it is dark or blurred.
    """

    rgb: Rgb
    taken_s: float
    verdict: Verdict
    kept: KeptView | None

    @property
    def quality(self) -> Quality:
        """Whether it is dark or blurred."""
        return self.verdict.measured.quality


class KeptViews:
    """The last `KEPT_VIEWS` kept views; `most` of their encodings stay in memory."""

    def __init__(self, free: Callable[[Activation | Embedding], None]) -> None:
        """`free` is called with each encoding that is needed no longer."""
        self._free = free
        self._views: list[KeptView] = []
        self.most = 0
        """So many encodings may stay in memory; see `limit`."""
        self.counts = GateCounts()
        """The gate's verdicts so far."""

    def view(self, rgb: Rgb, taken_s: float) -> View:
        """Passes a picture through the gate."""
        verdict = gate(rgb, [each.measured for each in self._views])
        self.counts = self.counts.after(verdict)
        if verdict.measured.quality.cause:
            return View(rgb, taken_s, verdict, None)
        for kept in self._views:
            if kept.measured is verdict.same_as and taken_s - kept.taken_s <= REUSED_S:
                return View(rgb, taken_s, verdict, kept)
            if kept.measured is verdict.same_as:
                self._remove(kept)
                break
        if len(self._views) == KEPT_VIEWS:
            self._remove(self._views[0])
        self._views.append(KeptView(verdict.measured, taken_s))
        return View(rgb, taken_s, verdict, self._views[-1])

    def find(self, view: View, *, own: bool = False) -> Encoded | None:
        """The encoding that a question about this view may be answered from. own: only one of this picture
        itself.
        """
        kept = self._present(view)
        encoded = None if kept is None else kept.encoded
        if encoded is None or encoded.measured is view.verdict.measured:
            return encoded
        surely_same = difference(view.verdict.measured, encoded.measured) <= SURELY_SAME_LEVELS
        return encoded if surely_same and not own else None

    def depth(self, view: View) -> int:
        """How deep this view is encoded, whichever picture of it; 0: not at all."""
        kept = self._present(view)
        return 0 if kept is None or kept.encoded is None else kept.encoded.depth

    def take(self, encoded: Encoded) -> None:
        """Lends an encoding: it stays in memory until `store` is called with it."""
        for kept in self._views:
            if kept.encoded is encoded:
                kept.encoded = None

    def drop(self, encoded: Encoded) -> None:
        """Frees an encoding."""
        self.take(encoded)
        self._free(encoded.data)

    def store(self, view: View, encoded: Encoded) -> None:
        """Keeps an encoding of this view, or frees it where none may stay. Of two of one view that of the
        later picture stays, of one picture the deeper.
        """
        kept = self._present(view)
        before = None if kept is None else kept.encoded
        better = before is not None and (before.taken_s, before.depth) > (encoded.taken_s, encoded.depth)
        if kept is None or better or not self.most:
            self._free(encoded.data)
            return
        self._clear(kept)
        kept.encoded, kept.measured, kept.taken_s = encoded, encoded.measured, encoded.taken_s
        self.limit(self.most)

    def limit(self, most: int) -> None:
        """Frees the oldest encodings until at most so many are left, now and from now on."""
        self.most = most
        held = [(kept.taken_s, kept) for kept in self._views if kept.encoded is not None]
        held.sort(key=lambda each: each[0])
        for _, kept in held[: max(0, len(held) - most)]:
            self._clear(kept)

    def forget(self) -> None:
        """Deletes everything except the counts."""
        while self._views:
            self._remove(self._views[-1])

    def _present(self, view: View) -> KeptView | None:
        return view.kept if view.kept in self._views else None

    def _remove(self, kept: KeptView) -> None:
        self._views.remove(kept)
        self._clear(kept)

    def _clear(self, kept: KeptView) -> None:
        encoded, kept.encoded = kept.encoded, None
        if encoded is not None:
            self._free(encoded.data)
