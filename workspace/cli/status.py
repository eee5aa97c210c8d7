"""``status``: what the index holds, and whether it is sound."""

from __future__ import annotations

from dataclasses import asdict

import click

from workspace import api
from workspace.cli.human import render_status
from workspace.cli.shell import load_config, shared_options, show


@click.command("status")
@shared_options
def command() -> None:
    """Say what the index holds of each root, and whether it is sound. Reads all of it."""
    status = api.workspace_status(load_config())
    show(asdict(status), lambda: render_status(status))
