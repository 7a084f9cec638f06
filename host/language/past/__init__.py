"""Recognises questions to the memory: by their form in `questions`, and where no form fits by the words that
they cannot do without, in `cues`.
"""
