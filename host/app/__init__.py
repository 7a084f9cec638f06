"""The application: the composed headband, its main loop, and the two ways to run it (on devices, on a
script). May import all rooms below; only commands import it.
"""
