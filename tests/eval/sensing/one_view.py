"""Does a question about one view wait for what is kept in case it asks about the last seconds?

The same question to the whole headband with a pack's motion brick and without it, alternating in one run.
"""

from __future__ import annotations

from collections.abc import Sequence
from statistics import median

from models.pack.catalogue import Pack
from tests.eval.cost import latency
from tests.eval.eye.first_word import alternating, ratio, without
from tests.eval.eye.page import Table

MODES = tuple(latency.PERCENT)
_MOTION = "motion"


def report(pack: Pack, turns: int, modes: Sequence[str] = MODES) -> Table:
    """Both in turn, in each mode. Raises Lacks."""
    plain_pack = without(pack, _MOTION)
    rows = []
    for mode in modes:
        ours, plain = alternating(pack, plain_pack, turns, mode)
        rows.append((
            mode, f"{median(ours.latency_s):.3f} s", f"{median(plain.latency_s):.3f} s",
            ratio(ours.latency_s, plain.latency_s),
        ))  # fmt: skip
    return Table(
        f"End of speech to first word, a question about one view, pack '{pack.name}' {pack.version}",
        ("mode", "with motion brick", "without", "with / without, goal 1.02"),
        rows,
        [f"Medians of {turns} turns each, alternating; intervals by bootstrap."],
    )
