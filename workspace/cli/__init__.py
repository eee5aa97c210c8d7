"""The command line: the only code that prints, knows about terminals, or ends the process."""

from __future__ import annotations

import click

from workspace.cli.shell import HermesGroup, WorkspaceGroup, shared_options


@click.group(cls=WorkspaceGroup)
@click.version_option(package_name="hermes-workspace", message="%(package)s %(version)s")
@shared_options
def main() -> None:
    """Index directories of text and search them.

    Every command prints one JSON document; with --human, text for people. Messages and progress go to stderr.
    """


@click.group(cls=HermesGroup)
def hermes() -> None:
    """Hermes, as far as it is installed: the workspace here, every other command where Hermes itself is present."""


hermes.add_command(main, "workspace")
