-- The schema of version 1, as it was released in databases that people have. Never change it.

CREATE TABLE meta (
    key   TEXT NOT NULL PRIMARY KEY,
    value TEXT NOT NULL
);

CREATE TABLE files (
    abs_path         TEXT    NOT NULL PRIMARY KEY,
    root_path        TEXT    NOT NULL,
    content_hash     TEXT    NOT NULL,
    config_signature TEXT    NOT NULL,
    size_bytes       INTEGER NOT NULL,
    mtime_ns         INTEGER NOT NULL,
    ctime_ns         INTEGER NOT NULL,
    inode            INTEGER NOT NULL,
    verified_ns      INTEGER NOT NULL,
    modified_at      TEXT    NOT NULL,
    indexed_at       TEXT    NOT NULL,
    encoding         TEXT    NOT NULL,
    chunk_count      INTEGER NOT NULL
);

CREATE TABLE chunks (
    id          INTEGER PRIMARY KEY,
    chunk_id    TEXT    NOT NULL UNIQUE,
    abs_path    TEXT    NOT NULL REFERENCES files ON DELETE CASCADE,
    chunk_index INTEGER NOT NULL,
    content     TEXT    NOT NULL,
    token_count INTEGER NOT NULL,
    start_line  INTEGER NOT NULL,
    end_line    INTEGER NOT NULL,
    start_char  INTEGER NOT NULL,
    end_char    INTEGER NOT NULL,
    section     TEXT,
    kind        TEXT    NOT NULL,
    headings    TEXT    NOT NULL,
    path_terms  TEXT    NOT NULL,
    symbols     TEXT    NOT NULL,
    UNIQUE (abs_path, chunk_index)
);

CREATE VIRTUAL TABLE chunks_fts USING fts5(
    content, headings, path_terms, symbols, content='chunks', content_rowid='id', tokenize='porter unicode61 remove_diacritics 2'
);

CREATE TRIGGER chunks_inserted AFTER INSERT ON chunks BEGIN INSERT INTO chunks_fts(rowid, content, headings, path_terms, symbols) VALUES (new.id, new.content, new.headings, new.path_terms, new.symbols); END;

CREATE TRIGGER chunks_deleted AFTER DELETE ON chunks BEGIN INSERT INTO chunks_fts(chunks_fts, rowid, content, headings, path_terms, symbols) VALUES ('delete', old.id, old.content, old.headings, old.path_terms, old.symbols); END;

CREATE TRIGGER chunks_updated AFTER UPDATE ON chunks BEGIN INSERT INTO chunks_fts(chunks_fts, rowid, content, headings, path_terms, symbols) VALUES ('delete', old.id, old.content, old.headings, old.path_terms, old.symbols); INSERT INTO chunks_fts(rowid, content, headings, path_terms, symbols) VALUES (new.id, new.content, new.headings, new.path_terms, new.symbols); END;

INSERT INTO chunks_fts(chunks_fts, rank) VALUES ('automerge', 12);

INSERT INTO chunks_fts(chunks_fts, rank) VALUES ('hashsize', 8388608);

PRAGMA application_id = 1213690736;

PRAGMA user_version = 1;
