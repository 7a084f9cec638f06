"""Splits an answer into sentences and gives them the form that is spoken, tells which words were played, and
makes the short tones. Imports no other room.
"""
