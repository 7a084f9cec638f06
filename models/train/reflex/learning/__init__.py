"""One training of the network for closed questions: where it begins, its plan, its steps and their loss."""
