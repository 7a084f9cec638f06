"""The power rig: plays a scenario on a headband, records its power, and turns both into figures that hold."""
