"""What a sentence asks about the last seconds, in any words."""
