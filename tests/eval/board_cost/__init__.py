"""What the bricks will cost on the board, and how wrong that has been where others measured: `just board-
cost`.
"""
