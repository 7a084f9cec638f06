"""How well a clip's configuration is chosen, and when its camera stops."""
