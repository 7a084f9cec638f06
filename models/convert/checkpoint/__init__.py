"""A published checkpoint: its folder, shapes and vocabulary, and its authors' code as the reference."""
