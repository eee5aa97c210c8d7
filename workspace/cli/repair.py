"""``repair``: examine the index to the last row, and mend it."""

from __future__ import annotations

from dataclasses import asdict

import click

from workspace import api
from workspace.cli.human import render_repair
from workspace.cli.shell import load_config, shared_options, show


@click.command("repair")
@click.option("--check-only", is_flag=True, help="Say what is wrong, and change nothing.")
@shared_options
def command(*, check_only: bool) -> None:
    """Build a damaged full-text index anew from the stored text, or set a damaged database aside. Deletes nothing."""
    report = api.repair_index(load_config(), check_only=check_only)
    show(asdict(report), lambda: render_repair(report))
