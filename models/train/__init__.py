"""Makes the micro pack: generates training data and trains in PyTorch. Not part of the application."""
