"""What is done for a question while it is spoken: the view is encoded and the words so far transcribed."""
