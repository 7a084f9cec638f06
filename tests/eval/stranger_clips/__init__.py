"""A stranger's clips: a home drawn by the second renderer, in which something moves, comes, goes or flashes
while a head looks on, with their questions and judges.

For evaluation only: nothing here imports what draws or words the training data, and nothing that trains
imports it.
"""
