"""Trains the speech recogniser, a small Whisper, and measures it through whisper.cpp."""
