"""Other hands and other looks of drawn pictures, so that what is drawn otherwise is understood too."""
