"""The stages of an index run, one module each, and the runner that joins them."""
