"""The weights store: catalogue, sources, verification."""
