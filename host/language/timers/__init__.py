"""Timers by their names: "how long on the pasta timer"."""
