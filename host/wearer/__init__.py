"""The wearer's controls: saved settings and timers, recording switch, light and volume. May import
`host.event_queue` and `host.session`.
"""
