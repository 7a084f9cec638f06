"""The stranger: a second renderer and question writer, for evaluation only.

Nothing here imports `models.train.world` or trains anything, so a mistake that training and its own
evaluation share still shows. `python -m tests.eval stranger --help` says how to run it.
"""
