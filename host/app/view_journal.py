"""Journals what was made of the camera's pictures: numbers and fixed reasons, nothing that was seen.

encoded     gate, from_depth, depth, whole_depth, skipped, reason
                a question's view: the gate's verdict, blocks of the encoder passed before the question
                and after, of how many; `skipped` were not computed for the question
views       pictures, gate, sensor, ahead, ahead_blocks
                since the line before: pictures by the gate's verdict; starts, seconds and frames of the
                camera's sensor (`hw.device.CameraUse`); decisions on views between questions by reason,
                and the blocks computed for them
recalled    nearest, taken_on, depth, problem
                a question to the memory: its nearest views that had stopped early, how many of them were
                encoded to full depth, how many blocks that is, and why not more
clip        probability, units, depth, interval_s, encoded_late, dropped, not_encoded, not_sensed, ms
                a question about the last seconds: the motion brick's answer, and pictures that were
                encoded when the words were known, lost, or saved because those before were enough
configuration  when, interval_s, depth, units, length, accuracy, predicted_ms, limit_s, reason
                how a clip is looked at from then on, chosen while the question is spoken or when its
                words are known
deepened    views, problem
                remembered views that were encoded to full depth while it charges, and why it stopped early
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Mapping
from dataclasses import asdict
from typing import Any

from host.observe.journal import Journal
from host.sensing.view_gate import GateCounts
from hw.device import CameraUse

_SEEN = ("family", "label")
"""Fields of a clip that tell what was asked and seen."""
_WRITTEN_AT = ("turn", "plan", "asleep")


class ViewJournal:
    """An observer of the headband. Views between questions are counted: there are several in a second."""

    def __init__(
        self, journal: Journal, counts: Callable[[], GateCounts], use: Callable[[], CameraUse]
    ) -> None:
        """`counts`: the gate's verdicts so far; `use`: what the sensor did so far."""
        self._journal, self._counts, self._use = journal, counts, use
        self._told_use = CameraUse()
        self._told = GateCounts()
        self._ahead: Counter[str] = Counter()
        self._blocks = 0

    def observe(self, event: str, fields: Mapping[str, Any]) -> None:
        """Handles one event; call it in the event loop at once."""
        if event == "encoded" and fields["for"] == "question":
            told = {key: fields[key] for key in ("gate", "from_depth", "depth", "whole_depth", "reason")}
            self._journal.write("encoded", **told, skipped=fields["from_depth"])
        elif event == "encoded":
            self._ahead[fields["reason"]] += 1
            self._blocks += fields["depth"] - fields["from_depth"]
        elif event in ("recalled", "deepened", "configuration"):
            self._journal.write(event, **fields)
        elif event == "clip":
            self._journal.write(event, **{key: told for key, told in fields.items() if key not in _SEEN})
        elif event in _WRITTEN_AT:
            self.write_counts()

    def write_counts(self) -> None:
        """Writes the counts since the last line, if there is any."""
        counts, before = self._counts(), asdict(self._told)
        if counts == self._told:
            return
        gate = {reason: count - before[reason] for reason, count in asdict(counts).items()}
        use = self._use()
        self._journal.write(
            "views",
            pictures=sum(gate.values()),
            gate=gate,
            sensor={
                "starts": use.starts - self._told_use.starts,
                "streamed_s": round(use.streamed_s - self._told_use.streamed_s, 3),
                "frames": use.frames - self._told_use.frames,
            },
            ahead=dict(self._ahead),
            ahead_blocks=self._blocks,
        )
        self._told_use = use
        self._told, self._ahead, self._blocks = counts, Counter(), 0
