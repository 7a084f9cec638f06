"""The application: composition root, state machine, turn, dialogue, skills and command line."""
