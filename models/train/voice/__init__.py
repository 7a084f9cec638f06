"""Trains the voice, and exports it with the inputs and outputs of Piper's models."""
