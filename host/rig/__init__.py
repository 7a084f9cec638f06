"""The headband's side of the power rig: plays scenarios on an emulated headband, or on a real one by its
journal. May import `host.app` and `power.rig`.
"""
