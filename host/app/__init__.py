"""The application itself: the headband composed of its parts, its main loop, and the two ways to run it (on
devices, on a script). The one room that knows all the others; only commands import it.
"""
