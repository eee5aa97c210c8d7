"""``reset``: delete the index."""

from __future__ import annotations

import sys

import click

from workspace import api
from workspace.cli.human import render_removed
from workspace.cli.output import visible
from workspace.cli.shell import load_config, shared_options, show
from workspace.types import WorkspaceError


@click.command("reset")
@click.option("--yes", is_flag=True, help="Do not ask.")
@shared_options
def command(*, yes: bool) -> None:
    """Delete the index, but none of your files; the next run of index builds it anew. Asks first, on a terminal."""
    config = load_config()
    if not yes:
        _ask(f"Delete the index {visible(str(config.database_path))}?")
    removed = [str(path) for path in api.reset_index(config)]
    show({"removed": removed}, lambda: render_removed(removed))


def _ask(question: str) -> None:
    """Go on only if a person says so."""
    if not _is_terminal():
        raise click.UsageError("There is no terminal to ask at: --yes deletes the index without a question.")
    if not click.confirm(question, err=True):
        raise WorkspaceError("nothing was deleted")


def _is_terminal() -> bool:
    return bool(sys.stdin and sys.stdin.isatty())
