"""Trains the voice and exports it under Piper's contract."""
