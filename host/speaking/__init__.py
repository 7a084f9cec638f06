"""Splits an answer into sentences, tells which words were played, and makes the short tones. Imports no other
room.
"""
