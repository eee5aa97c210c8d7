"""The database: schema, connections, the one writer and the readers."""
