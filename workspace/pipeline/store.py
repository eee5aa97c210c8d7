"""The store stage: rows go to the one writer, and what became of every file comes out."""

from __future__ import annotations

from typing import TYPE_CHECKING

from workspace.pipeline.items import Chunked, Failed, Item, Pruned, Refreshed, Stored
from workspace.storage.writer import Outcome, Writer

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator

    import apsw

    from workspace.types import Poison


def store(
    batches: Iterable[list[Item]],
    connection: apsw.Connection,
    gone: Callable[[], Iterable[str]],
    poison_of: Callable[[Failed], Poison | None] = lambda _: None,
) -> Iterator[list[Item]]:
    """Write what `batches` bring and yield outcomes: a file is `Stored` only once it is committed.

    What `poison_of` makes of a failure is remembered. An empty batch says that nothing else is coming just now, so what
    waits is committed. At the end, what `gone` then returns is pruned.
    """
    writer = Writer(connection)
    for batch in batches:
        items: list[Item] = []
        for item in batch:
            items += _write(writer, item, poison_of)
        if not batch or writer.due() == 0:
            items += _outcomes(writer.flush())
        yield items
    pruned = list(gone())
    items = [item for path in pruned for item in _outcomes(writer.remove(path))]
    items += _outcomes(writer.flush())
    yield [*items, *map(Pruned, pruned)]


def _write(writer: Writer, item: Item, poison_of: Callable[[Failed], Poison | None]) -> list[Item]:
    """Hand `item` to the writer; return the outcomes that are certain now, of earlier items too."""
    match item:
        case Chunked():
            return _outcomes(writer.store(item.file, item.chunks))
        case Refreshed():
            return [*_outcomes(writer.refresh(item.path, item.stat, item.verified_ns)), item]
        case Failed(rows_are_gone=True):
            return [*_outcomes(writer.remove(item.path, poison=poison_of(item))), item]
        case _:
            return [item]


def _outcomes(outcome: Outcome) -> list[Item]:
    failed = (
        Failed(file.abs_path, "store", type(error).__name__, str(error), rows_are_gone=True)
        for file, error in outcome.failed
    )
    return [*(Stored(file.abs_path, file.chunk_count) for file in outcome.stored), *failed]
