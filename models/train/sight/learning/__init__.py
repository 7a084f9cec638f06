"""One training of eye, text tower and decoder: its steps, its learning rate, its checkpoint."""
