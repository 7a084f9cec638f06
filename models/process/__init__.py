"""Where bricks live: child processes, how long each stays, and how much memory that takes. May import
`models.pack` and `models.ring`.
"""
