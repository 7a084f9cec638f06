"""`just eval eye`: one page about the eye and its exits, on data that training does not use.

Questions, queries and judges are this package's own; views of the drawn home are of held-out layouts, and a
second renderer, `tests.eval.stranger_home`, draws the others. `python -m tests.eval eye --help` says how to
run it.
"""
