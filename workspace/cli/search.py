"""``search``: ranked passages with path and lines."""

from __future__ import annotations

import logging
from dataclasses import asdict

import click

from workspace import api
from workspace.cli.human import render_results
from workspace.cli.shell import load_config, shared_options, show

log = logging.getLogger(__name__)


@click.command("search")
@click.argument("words", metavar="QUERY...", nargs=-1, required=True)
@click.option("--path", metavar="PATH", help="Only this file, or files below this directory.")
@click.option(
    "--glob", metavar="GLOB", help="Only files of this name (*.md) or path (docs/**/*.md), in gitignore syntax."
)
@click.option("--limit", type=int, metavar="N", help="At most N results; the default is set in config.yaml.")
@shared_options
def command(words: tuple[str, ...], path: str | None, glob: str | None, limit: int | None) -> None:
    """Search the index. Several words are one query; -- ends the options, for words that start with a dash."""
    config = load_config()
    results = api.search_workspace(config, " ".join(words), path=path, glob=glob, limit=limit)
    if not results and not config.database_path.exists():
        log.warning("there is no index yet: run the command index first")
    show([asdict(result) for result in results], lambda: render_results(results))
