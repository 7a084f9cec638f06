"""The report of a rig run: one HTML page without other files. May import `power.policy`."""
