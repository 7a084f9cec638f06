"""The colour of each power mode in every report."""

from __future__ import annotations

from collections.abc import Mapping

from power.policy.plan import Mode

MODE_COLOURS: Mapping[str, str] = {
    Mode.PERFORMANCE.value: "#5aa2e6",
    Mode.THROTTLED.value: "#f0b64d",
    Mode.CASCADE.value: "#9a7bd0",
    Mode.CUTOFF.value: "#d64545",
}
"""By the mode's name, in the order of the modes."""
