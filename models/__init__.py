"""Bricks, packs, and the processes and shared memory that bricks run in."""

import os

os.environ["ORT_DISABLE_TELEMETRY"] = "1"
"""Disables the telemetry of ONNX Runtime 1.29 and later; has to be set before its import. The headband opens
no network connection.
"""
