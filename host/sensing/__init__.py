"""What the camera showed: the recent views, and which of them are new. May import the interfaces of `hw`."""
