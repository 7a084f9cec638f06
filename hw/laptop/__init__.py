"""An ordinary computer as a headband: its own microphone, loudspeaker, camera and battery."""
