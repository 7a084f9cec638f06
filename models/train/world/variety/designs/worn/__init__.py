"""What is worn or hung over a shoulder: glasses, coats and bags, in six forms each."""
