"""Where a brick computes, with how many threads, and what is begun before a question ends: one table, pure
rules.
"""
