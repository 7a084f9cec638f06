"""Interruptions of an answer: hits, false ones by the headband's own voice, and latency."""
