"""The microcontroller's energy counters as the event loop reads them, and whether a stretch is measured by
two looks at them.
"""

from __future__ import annotations

import asyncio
from dataclasses import replace

from hw.supply import Energy, EnergyCounter
from power.account.ledger import Spent

MOST_MW = 15_000.0
"""No headband draws more; counters that say so are wrong."""
OUTSIDE = "Outside power carried it."
UNREAD = "The microcontroller's counters could not be read."
WRONG = "The microcontroller's counters started anew."
_COUNT_MWH = 0.0101  # step of the counters, with some room for rounding


class Counters:
    """Reads them in a thread, one transfer at a time, so that a bus that hangs costs one thread."""

    def __init__(self, counter: EnergyCounter | None) -> None:
        self._counter = counter
        self._transfer: asyncio.Future[Energy] | None = None

    async def look(self, patience_s: float, *, mark: bool = False) -> Energy | None:
        """The counters now, after a `mark` of them if asked for; None when there are none, when the bus
        fails, or when they do not come in time.
        """
        counter = self._counter
        if counter is None:
            return None
        if self._transfer is not None and not self._transfer.done():
            await asyncio.wait([self._transfer], timeout=patience_s)
            if not self._transfer.done():
                return None

        def read() -> Energy:
            if mark:
                counter.mark()
            return counter.energy()

        transfer = self._transfer = asyncio.ensure_future(asyncio.to_thread(read))
        transfer.add_done_callback(_heard)
        await asyncio.wait([transfer], timeout=patience_s)
        return transfer.result() if transfer.done() and transfer.exception() is None else None


def judged(spent: Spent, start: Energy | None, end: Energy | None) -> Spent:
    """The modelled stretch as measured by the counters at its two ends; still modelled, with a note why,
    where they do not measure it.
    """
    if spent.supply == "outside":
        return replace(spent, note=OUTSIDE)
    if start is None or end is None:
        return replace(spent, note=UNREAD)
    taken_mwh = end.since_start_mwh - start.since_start_mwh
    if not 0 <= taken_mwh <= MOST_MW * (spent.seconds + 1) / 3600:
        return replace(spent, note=WRONG)
    since_mark_mwh = end.since_mark_mwh - start.since_mark_mwh
    # A turn begins with a mark; both counters then tell the same, unless they were reset in between.
    if spent.activity == "turn" and abs(since_mark_mwh - taken_mwh) > _COUNT_MWH:
        return replace(spent, note=WRONG)
    return spent.measured(taken_mwh)


def _heard(transfer: asyncio.Future[Energy]) -> None:
    """A failure that nobody waits for any more is no news: whatever reads the battery says what is wrong."""
    if not transfer.cancelled():
        transfer.exception()
