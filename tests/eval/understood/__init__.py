"""What is understood of sentences that strangers to the wordings wrote."""
