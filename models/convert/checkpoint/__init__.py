"""A checkpoint as it was published: its folder, shapes, vocabulary, and its authors' own code to compare
with.
"""
