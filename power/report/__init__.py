"""The report of a rig run: one HTML page that needs nothing besides itself."""
