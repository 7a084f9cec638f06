"""The headband's side of the power rig: runs scenarios on an emulated headband, or on a real one that it
follows by its journal. May import `host.app` and `power.rig`.
"""
