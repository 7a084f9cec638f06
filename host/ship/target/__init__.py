"""What `host.ship.onboard` does on the headband's computer: storing, building, trying, starting. Sent there:
standard library only.
"""
