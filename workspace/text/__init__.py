"""Pure functions over text: words, lines, headings, symbols. Shared by indexing and searching."""
