"""Checks what is said about a picture against what an object detector finds in it. Pure."""
