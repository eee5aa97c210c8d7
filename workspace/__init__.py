"""Index directories of text files into one SQLite database, and search them for passages."""
