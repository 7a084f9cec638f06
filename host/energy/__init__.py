"""Energy of a running headband: reads the battery, applies the policy's power plan, and meters the energy
used.

May import `host.event_queue`, `host.session` and `host.answers` (which words its figures), and `power`.
"""
