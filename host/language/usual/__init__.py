"""Puts a question into the usual words for it, as templates and small decoders know them: about the view in
`view`, about drawn shapes in it in `shapes`, about the last seconds in `motion`.
"""
