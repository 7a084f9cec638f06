"""Writes decoders as GGUF, at a given precision."""
