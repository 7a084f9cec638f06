"""Bricks, packs, and the processes and memory they live in."""

import os

os.environ["ORT_DISABLE_TELEMETRY"] = "1"
"""ONNX Runtime 1.29 and later report on models and machine to their maker unless told not to, before they are
loaded; and nothing here opens a connection.
"""
