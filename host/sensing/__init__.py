"""The recent views of the camera, and which of them differ. May import the interfaces of `hw`."""
