"""A question to the headband that its reflex brick answers, beside the same one to the same pack without that
brick: end of speech to first word, and what the processors did for the answer.
"""

from __future__ import annotations

from collections.abc import Sequence
from statistics import median

from models.pack.catalogue import Pack
from models.pack.chain import REFLEX
from tests.eval.cost import latency
from tests.eval.eye.first_word import alternating, ratio, without
from tests.eval.eye.page import Table

MODES = (*latency.PERCENT, "alone")
"""Those of the power policy, and cascade that is asked for, which has one model in memory at a time."""


def report(pack: Pack, turns: int, modes: Sequence[str] = MODES) -> Table:
    """Both ways in turn, in each mode. Raises Lacks."""
    plain_pack = without(pack, REFLEX)
    rows = []
    for mode in modes:
        ours, plain = alternating(pack, plain_pack, turns, mode)
        computed = median(ours.answering_s), median(plain.answering_s)
        rows.append((
            mode, f"{median(ours.latency_s):.3f} s", f"{median(plain.latency_s):.3f} s",
            ratio(plain.latency_s, ours.latency_s), f"{1e3 * computed[0]:.0f}, {1e3 * computed[1]:.0f} ms",
            ratio(plain.answering_s, ours.answering_s),
        ))  # fmt: skip
    return Table(
        f"End of speech to first word, pack '{pack.name}' with its reflex brick and without",
        ("mode", "with", "without", "times as long without", "processors, with and without", "times as much"),
        rows,
        [
            f"Medians of {turns} turns each, alternating, with the silence by which the end is noticed; "
            "intervals by bootstrap. 'alone': cascade that is asked for, one model in memory at a time. "
            "Processors: what reflex brick and language model computed, loading included; the answer is "
            "stopped at its first word, which spares the language model the rest.",
            "Goals, ballast pack, questions that reflex answers: twice as long without in cascade and alone, "
            "5 times as much.",
        ],
    )
