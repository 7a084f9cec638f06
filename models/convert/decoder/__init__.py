"""Decoders as GGUF, at a given precision."""
