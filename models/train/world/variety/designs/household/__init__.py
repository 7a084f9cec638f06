"""What lies about a household: umbrellas, remote controls and medicine boxes, in six forms each."""
