"""From what people type to ranked passages."""
