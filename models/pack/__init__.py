"""What a pack is: its manifest, which bricks it names, whether its files are the right ones. May import
`models.brick`.
"""
