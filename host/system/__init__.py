"""The headband as a computer: watchdog, suspend, reminder, device faults, systemd, core dumps. May import
`host.event_queue` and `host.session`.
"""
