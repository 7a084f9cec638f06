"""The ballast pack: random weights in the shapes and precisions of the standard pack."""
