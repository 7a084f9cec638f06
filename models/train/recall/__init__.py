"""Trains what the memory needs beside the eye: how deep a view has to be encoded to be found again."""
