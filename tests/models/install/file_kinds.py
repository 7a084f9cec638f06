"""Minimal valid files of each format, with given bytes as contents."""

from __future__ import annotations

import json
import struct


def onnx(graph: bytes) -> bytes:
    """A ModelProto: format version 8, then the graph."""
    length, rest = b"", len(graph)
    while rest >= 0x80:
        length, rest = length + bytes([rest & 0x7F | 0x80]), rest >> 7
    return b"\x08\x08\x3a" + length + bytes([rest]) + graph


def safetensors(weights: bytes) -> bytes:
    """One tensor of bytes."""
    entry = {"dtype": "U8", "shape": [len(weights)], "data_offsets": [0, len(weights)]}
    header = json.dumps({"weights": entry}).encode()
    return struct.pack("<Q", len(header)) + header + weights


def gguf(weights: bytes) -> bytes:
    """A header with one tensor and one key."""
    return struct.pack("<4sIQQ", b"GGUF", 3, 1, 1) + weights


def rknn(network: bytes) -> bytes:
    """A network for an NPU."""
    return b"RKNN" + network
