"""Trains the network that answers closed questions about a picture, chooses its thresholds, and exports
it."""
