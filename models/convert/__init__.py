"""Converts a published checkpoint to a pack: vision graph, decoder and recogniser, with the numerical error
of each.
"""
