"""Generated speech and noise: espeak-ng, random speakers and accents, background sounds, spectrograms."""
