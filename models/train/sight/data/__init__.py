"""What the network is shown: pictures as cameras take them, questions, captions and labels, in batches."""
