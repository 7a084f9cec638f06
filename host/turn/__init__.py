"""A question's way from sound to sound: its steps, what is done ahead of its end, and how it is
interrupted.

May import `host.session`, `host.wearer` and every room of values below them.
"""
