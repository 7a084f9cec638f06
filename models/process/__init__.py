"""Child processes of bricks, their residency, and their memory. May import
`models.pack` and `models.ring`.
"""
