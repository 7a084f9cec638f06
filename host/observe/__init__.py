"""Records of what happened, in order: journal, timeline, trace. Everything may write to them; they import
nothing of the headband.
"""
