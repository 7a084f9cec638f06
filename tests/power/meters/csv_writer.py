"""Writes a recording as a CSV file, for tests of its readers."""

from __future__ import annotations

from pathlib import Path

import numpy as np

from power.meters.meter import MeterRecording


def write_csv(recording: MeterRecording, path: Path) -> None:
    """Write the recording with its facts in comment lines, in the form that `read_csv` takes."""
    names = ["time_s", "power_mw", "voltage_mv"]
    columns = [recording.time_s, recording.power_mw, recording.voltage_mv]
    formats = ["%.7f", "%.6g", "%.6g"]
    if recording.marker is not None:
        names.append("marker")
        columns.append(recording.marker.astype(np.float64))
        formats.append("%d")
    facts = (
        f"meter: {recording.meter}",
        f"kind: {recording.kind}",
        f"voltage_measured: {str(recording.voltage_measured).lower()}",
        f"sample_rate_hz: {recording.sample_rate_hz:g}",
        f"expected: {recording.expected}",
        f"lost: {recording.lost}",
        f"start_monotonic_s: {recording.start_monotonic_s:.6f}",
    )
    header = "".join(f"# {fact}\n" for fact in facts) + ",".join(names)
    np.savetxt(path, np.column_stack(columns), fmt=formats, delimiter=",", header=header, comments="")
