"""What is done with a picture before the eye sees it: the view gate, wide pictures, looking again."""
