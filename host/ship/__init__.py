"""The application's way onto a headband: releases, each whole, of which one is current."""
