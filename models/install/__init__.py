"""Packs on their way here: fetched, taken from a stick, staged, and whole or not to be seen. May import
`models.pack`.
"""
