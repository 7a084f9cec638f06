"""The choice of how a clip is looked at."""
