"""How the home looks: the pen, the sprites of things, the furniture and places, and the finished picture."""
