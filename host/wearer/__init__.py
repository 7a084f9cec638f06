"""What the wearer set and asks for: saved settings, timers, recording switch, button. May import
`host.session` and `host.system`.
"""
