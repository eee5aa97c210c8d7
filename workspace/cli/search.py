"""``search``: ranked passages with path and lines."""

from __future__ import annotations

import logging
from dataclasses import asdict
from typing import Any, Final

import click

from workspace import api
from workspace.cli.human import render_results
from workspace.cli.shell import load_config, shared_options, show
from workspace.constants import DEFAULT_PER_FILE

_COUNT: Final = click.IntRange(min=0)

log = logging.getLogger(__name__)


@click.command("search")
@click.argument("words", metavar="QUERY...", nargs=-1, required=True)
@click.option("--path", metavar="PATH", help="Only this file, or files below this directory.")
@click.option(
    "--glob", metavar="GLOB", help="Only files of this name (*.md) or path (docs/**/*.md), in gitignore syntax."
)
@click.option("--limit", type=int, metavar="N", help="At most N results; the default is set in config.yaml.")
@click.option(
    "--per-file",
    type=_COUNT,
    default=DEFAULT_PER_FILE,
    show_default=True,
    metavar="N",
    help="At most N results of one file; 0: any number. All of them where --path names that file.",
)
@click.option("--context", type=_COUNT, default=0, metavar="N", help="Show N lines more above and below each result.")
@click.option(
    "--max-chars",
    type=_COUNT,
    metavar="N",
    help="At most N characters of a result, its context aside; 0: no limit. The default is set in config.yaml.",
)
@shared_options
def command(words: tuple[str, ...], **options: Any) -> None:  # noqa: ANN401 - by name, what the API takes
    """Search the index. Several words are one query; -- ends the options, for words that start with a dash."""
    config = load_config()
    results = api.search_workspace(config, " ".join(words), **options)
    if not results and not config.database_path.exists():
        log.warning("there is no index yet: run the command index first")
    show([asdict(result) for result in results], lambda: render_results(results))
