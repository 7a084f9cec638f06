"""Closed questions about one picture: what a pack's reflex brick answers, and what each of its mechanisms is
worth against simpler ones. `python -m tests.eval reflex --help` says how to run it.

The questions are of held-out splits and in wordings of the evaluation's own, and no model judges an answer.
"""
