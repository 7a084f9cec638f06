"""How a clip is looked at: which configuration of rate, depth, units and group length, and when to stop.

The mechanisms are the configuration optimiser (E5 to E9) and the speculative gate (E10, E11) of MMEdge.
"""
