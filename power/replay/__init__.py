"""One day under three policies, as figures and as one HTML page."""
