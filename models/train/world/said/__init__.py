"""Sentences that are said to the headband, by what they are about."""
