"""From the schema of an older version to the present one, in place."""

from __future__ import annotations

import logging
from typing import Final

import apsw

from workspace.storage.schema import SCHEMA_VERSION, TABLES
from workspace.storage.transaction import transaction

log = logging.getLogger(__name__)

STEPS: Final = {
    2: (TABLES["failures"],),
}
"""The statements that lead to a version from the one before it. Columns with a default need none: `reconcile`."""


def migrate(connection: apsw.Connection) -> None:
    """Bring the tables to `SCHEMA_VERSION`, a transaction for each version: killed at any moment, it goes on later."""
    version = connection.pragma("user_version")
    for number in range(version + 1, SCHEMA_VERSION + 1):
        with transaction(connection):
            for statement in STEPS[number]:
                connection.execute(statement).fetchall()
            connection.execute(f"PRAGMA user_version = {number}").fetchall()
        log.info("the index has been brought to schema %d", number)
    if missing := reconcile(connection):
        with transaction(connection):
            for statement in missing:
                connection.execute(statement).fetchall()


def reconcile(connection: apsw.Connection) -> list[str]:
    """Return the statements that add the columns which the schema text has and the tables have not. Only reads.

    A table that is missing altogether is damage, and not dealt with here.
    """
    model = apsw.Connection(":memory:")
    try:
        for statement in TABLES.values():
            model.execute(statement).fetchall()
        return [
            f"ALTER TABLE {table} ADD COLUMN {definition}"
            for table in TABLES
            if (present := _columns(connection, table))
            for name, definition in _columns(model, table).items()
            if name not in present
        ]
    finally:
        model.close()


def _columns(connection: apsw.Connection, table: str) -> dict[str, str]:
    """Return the definition of each column of a table, as ``ADD COLUMN`` takes it."""
    rows = connection.execute('SELECT name, type, "notnull", dflt_value FROM pragma_table_info(?)', (table,))
    return {
        name: " ".join(
            [name, kind, *(["NOT NULL"] if required else []), *([f"DEFAULT {default}"] if default is not None else [])]
        )
        for name, kind, required, default in rows
    }
