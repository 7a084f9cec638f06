"""Sentences that go on from the last command: "make that forty five", "ten more minutes", "cancel it"."""
