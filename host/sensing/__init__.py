"""The recent views of the camera, which differ or show nothing, and how far each is processed. May import the
interfaces of `hw` and the values of `models.brick`.
"""
