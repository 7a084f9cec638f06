"""Drawn clips of the home: a few views in a row in which something moves, comes, goes or blinks."""
