"""Generated speech and noise: espeak-ng, drawn speakers and accents, background sounds, spectrograms."""
