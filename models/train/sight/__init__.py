"""Trains vision encoder and decoder together, exports both, and measures them in the real runtimes."""
