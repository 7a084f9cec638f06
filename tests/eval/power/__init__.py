"""The PMU's sensors and firmware, the rig, and what the policy's settings and the camera cost the battery."""
