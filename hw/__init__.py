"""The board: one small interface per device, with a real and an emulated implementation of each."""
