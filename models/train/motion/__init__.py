"""Training of the brick that understands several views in their order."""
