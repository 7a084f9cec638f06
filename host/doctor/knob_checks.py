"""Check of `headband doctor` for the knobs of the power plan."""

from __future__ import annotations

from host.doctor.finding import Finding
from power.knobs import Knobs

_FIX = "sudo systemd-tmpfiles --create && sudo udevadm trigger; where that does not help, deploy again."


def knobs_finding(knobs: Knobs) -> Finding:
    """Says which knobs the kernel offers, and whether this user may turn them."""
    there, denied = knobs.present(), knobs.denied()
    if not there:
        return Finding("knobs", "note", "left alone: this computer's clocks are its owner's")
    if denied:
        files = ", ".join(f"{name} ({path})" for name, path in denied.items())
        return Finding("knobs", "broken", f"This user may not turn: {files}.", _FIX)
    missing = [name for name, present in there.items() if not present]
    if missing:
        return Finding("knobs", "note", f"this kernel does not offer: {', '.join(missing)}")
    return Finding("knobs", "ok", ", ".join(there))
