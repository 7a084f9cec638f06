"""Trains the classifier of sentences that no template knows: `python -m models.train.intents`."""
