"""Writes recognisers in whisper.cpp's format, at a given precision."""
