"""The recent views of the camera, and which differ or show nothing. May import the interfaces of `hw`."""
