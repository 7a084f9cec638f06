"""People's recordings, from which the recogniser learns and by which it is judged."""
