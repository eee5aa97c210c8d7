"""``index``: bring the index up to date."""

from __future__ import annotations

import math
import signal
import threading
from contextlib import contextmanager
from dataclasses import asdict
from typing import TYPE_CHECKING

import click

from workspace import api
from workspace.cli.human import render_summary
from workspace.cli.progress import progress_bar
from workspace.cli.shell import Terminated, load_config, shared_options, show

if TYPE_CHECKING:
    from collections.abc import Iterator


@click.command("index")
@click.option("--verify", is_flag=True, help="Read and compare every file, also those that look unchanged.")
@click.option("--retry-failed", is_flag=True, help="Try again what could not be chunked, although it has not changed.")
@click.option(
    "--wait", type=click.FloatRange(min=0), default=0.0, metavar="SECONDS", help="Wait for another run to end."
)
@click.option("--jobs", type=click.IntRange(min=1), metavar="N", help="Use N processes to chunk large files.")
@shared_options
def command(*, verify: bool, retry_failed: bool, wait: float, jobs: int | None) -> None:
    """Index what is new or changed, drop what is gone. Files that fail are listed and do not stop the run."""
    if math.isnan(wait):
        raise click.BadParameter("'nan' is not a number of seconds.", param_hint="'--wait'")
    config = load_config()
    with _terminable(), progress_bar() as progress:
        summary = api.index_workspace(
            config, verify=verify, retry_failed=retry_failed, wait=wait, jobs=jobs, progress=progress
        )
    show(asdict(summary), lambda: render_summary(summary))


@contextmanager
def _terminable() -> Iterator[None]:
    """Let the first Ctrl-C or SIGTERM end a run in good order, and those that follow be without effect.

    An exception that strikes while another is being dealt with breaks locks: those of the standard library, too.
    """
    if threading.current_thread() is not threading.main_thread():
        yield  # signals are the main thread's business
        return
    received: list[int] = []

    def interrupt(number: int, _: object) -> None:
        received.append(number)
        if len(received) == 1:
            raise KeyboardInterrupt

    previous = {number: signal.signal(number, interrupt) for number in (signal.SIGINT, signal.SIGTERM)}
    try:
        yield
    except KeyboardInterrupt as error:
        if signal.SIGTERM in received[:1]:
            raise Terminated from error
        raise
    finally:
        for number, handler in previous.items():
            signal.signal(number, handler)
