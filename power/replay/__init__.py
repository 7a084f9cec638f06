"""One day under five policies, as figures and as one HTML page."""
