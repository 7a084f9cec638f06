"""The ballast pack: random weights in the true shapes and precisions of the standard pack."""
