"""The headband as a computer: watchdog, suspend, device faults, systemd, core dumps. May import
`host.observe`.
"""
