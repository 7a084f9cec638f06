"""One turn, from the question's sound to the answer's sound: its steps, work ahead of the question's end, and
interruption.

May import `host.session`, `host.wearer` and every room of values below them.
"""
