"""The recent views of the camera, and which of them differ or show nothing. May import the interfaces of `hw`
and the values of `models.brick`.
"""
