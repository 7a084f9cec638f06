"""What a sentence asks where no template knows it: a small statistical classifier of the kinds of sentence,
and what is read out of a sentence of a known kind. Pure; NumPy only.
"""
