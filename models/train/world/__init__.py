"""The drawn world and what can be asked about it: scenes, pixels, grammar, questions, true answers."""
