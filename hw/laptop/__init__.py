"""A laptop used as a headband: its microphone, loudspeaker, camera and battery."""
