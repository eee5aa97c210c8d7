"""``roots``: which directories are indexed besides the workspace itself."""

from __future__ import annotations

from contextlib import suppress
from dataclasses import asdict
from typing import TYPE_CHECKING

import click

from workspace.cli.human import render_change, render_roots
from workspace.cli.shell import load_config, shared_options, show
from workspace.config import add_root, prepare_workspace, remove_root
from workspace.types import WorkspaceError

if TYPE_CHECKING:
    from workspace.config import WorkspaceConfig


@click.group("roots", no_args_is_help=False)
@shared_options
def command() -> None:
    """List, add and remove the directories that are indexed."""


@command.command("list")
@shared_options
def list_roots() -> None:
    """List the configured roots. The workspace itself is always indexed and is not among them."""
    roots = _config().roots
    show([asdict(root) for root in roots], lambda: render_roots(roots))


@command.command("add")
@click.argument("path")
@click.option(
    "--recursive", is_flag=True, help="Index the directories below as well, not only the files directly in it."
)
@shared_options
def add(path: str, *, recursive: bool) -> None:
    """Add a directory. Adding it again sets or clears --recursive."""
    root = add_root(_config().home, path, recursive=recursive)
    show(asdict(root), lambda: render_change("added", root))


@command.command("remove")
@click.argument("path")
@shared_options
def remove(path: str) -> None:
    """Remove a root. Its files leave the index on the next run of index."""
    root = remove_root(_config().home, path)
    show(asdict(root), lambda: render_change("removed", root))


def _config() -> WorkspaceConfig:
    """Return the settings. On first use the workspace is made, if that is possible: only an index run depends on it."""
    config = load_config(even_disabled=True)
    with suppress(WorkspaceError):
        prepare_workspace(config)
    return config
