"""The vision bricks: a picture becomes rows of the decoder, or stops on its way there."""
