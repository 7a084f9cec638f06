"""One day under six policies, as figures and as one HTML page."""
