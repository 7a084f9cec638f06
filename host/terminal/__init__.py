"""What all commands share at a terminal: usage errors, printing, output files, progress. Imports no other
room of `host`.
"""
