"""Bricks over the native runtimes. These modules are imported in a brick's own process only."""
