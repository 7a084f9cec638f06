"""What it costs to remember what is seen: the twin of a headband that does, beside simple ways to."""
