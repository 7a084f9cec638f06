"""Recognisers as whisper.cpp reads them, at a given precision."""
