"""`just eval memory-voice`: questions about a held-out day, asked aloud of a headband that remembers it."""
