"""Other drawings of the twelve things, for training: forms with random proportions and parts."""
