"""The two small models of the main process: wake word and voice activity."""
