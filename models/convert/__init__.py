"""A published checkpoint's folder to a pack: vision graph, decoder, recogniser, and how far they are from
the original.
"""
