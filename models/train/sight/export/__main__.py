"""`python -m models.train.sight.export`: see `models.train.sight.export.files`."""

from models.train.sight.export.files import main

if __name__ == "__main__":
    main()
