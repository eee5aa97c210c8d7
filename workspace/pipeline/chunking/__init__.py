"""Chunkers: the only importers of chonkie and tree-sitter."""
