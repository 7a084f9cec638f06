"""Energy of a running headband: reads the battery, lets the policy decide, turns the knobs, and counts what
was used.

May import `host.session`, `host.wearer` and `host.answers` (which words its figures), and `power`.
"""
