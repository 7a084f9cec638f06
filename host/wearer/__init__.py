"""The wearer's controls: saved settings, timers, recording switch, button. May import
`host.session` and `host.system`.
"""
