"""Segments: subscriptions as flat arrays, from the first draft to merging and to files on disk."""
