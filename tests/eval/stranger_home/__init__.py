"""A stranger's home: a second renderer of twelve things in four places, its questions and judges.

For evaluation only: nothing here imports what draws or words the training data, and nothing that trains
imports it.
"""
