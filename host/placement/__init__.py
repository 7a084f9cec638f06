"""The table of placements on one computer: the modelled one of a pack, or the one that `headband tune`
measured.
"""
