"""How an answer is spoken: split into sentences, which of them were heard, and the short tones. Imports no
other room.
"""
