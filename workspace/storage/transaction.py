"""The one way to run a transaction."""

from __future__ import annotations

import contextlib
from typing import TYPE_CHECKING

import apsw

if TYPE_CHECKING:
    from collections.abc import Iterator


@contextlib.contextmanager
def transaction(connection: apsw.Connection) -> Iterator[None]:
    """Run the block as one writing transaction: committed at its end, rolled back if anything is raised.

    What is raised is always the first cause. On a full disk, say, SQLite itself ends the transaction, and an
    unconditional ROLLBACK would replace that error by its own.
    """
    connection.execute("BEGIN IMMEDIATE").fetchall()
    try:
        yield
        connection.execute("COMMIT").fetchall()
    except BaseException:
        if connection.in_transaction:
            with contextlib.suppress(apsw.Error):
                connection.execute("ROLLBACK").fetchall()
        raise
