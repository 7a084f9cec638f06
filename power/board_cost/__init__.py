"""What the bricks will cost on the board: counted instructions and cache misses, turned into time by a
model.
"""
