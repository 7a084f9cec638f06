"""What a transcript asks all the same where words are missing or were taken for others, one module for each
kind of question, and what is asked back about a word that is not known. `host.language.doubt` decides.
"""
