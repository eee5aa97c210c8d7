"""What all commands share: options, logging to stderr, and the one place where an exception becomes an exit code."""

from __future__ import annotations

import atexit
import importlib
import importlib.util
import logging
import signal
import sys
from contextlib import contextmanager
from itertools import takewhile
from pathlib import PurePath
from typing import TYPE_CHECKING, Any, Final, NoReturn

import click

from workspace.cli.output import visible, write_error, write_json, write_text
from workspace.config import WorkspaceConfig
from workspace.types import WorkspaceError

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence

    Command = Callable[..., Any]

EXIT_OK: Final = 0
EXIT_FATAL: Final = 1
EXIT_USAGE: Final = 2
EXIT_INTERRUPTED: Final = 130
EXIT_TERMINATED: Final = 143

COMMANDS: Final = ("roots", "index", "search", "status", "repair", "reset")
"""Each is a module of this package, imported when it is called, or when help lists them."""

_HUMAN: Final = "workspace.human"

log = logging.getLogger(__name__)


class Terminated(KeyboardInterrupt):
    """SIGTERM, handled like Ctrl-C: it ends a run in good order, with an exit code of its own."""


# --- Groups -------------------------------------------------------------------------------------------------


class ShellGroup(click.Group):
    """A group that ends the process by our exit codes, and never with a traceback."""

    def __init__(self, *arguments: Any, **settings: Any) -> None:  # noqa: ANN401 - click's
        ours = {"context_settings": {"help_option_names": ["-h", "--help"]}, "no_args_is_help": False}
        super().__init__(*arguments, **{**settings, **ours})

    def main(
        self, args: Sequence[str] | None = None, prog_name: str | None = None, *_: object, **__: object
    ) -> NoReturn:
        """Run one command line and exit."""
        arguments = sys.argv[1:] if args is None else list(args)
        code = run(self, arguments, prog_name or PurePath(sys.argv[0]).stem)
        # All is said and done: Ctrl-C while the interpreter takes itself apart could only show a traceback.
        atexit.register(signal.signal, signal.SIGINT, signal.SIG_IGN)
        sys.exit(code)


class WorkspaceGroup(ShellGroup):
    """The commands of a workspace, each imported only when it is needed."""

    def list_commands(self, ctx: click.Context) -> list[str]:  # noqa: ARG002 - click's signature
        """Return the names of the commands, in the order of first use."""
        return list(COMMANDS)

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:  # noqa: ARG002
        """Return the command of that name."""
        if cmd_name not in COMMANDS:
            return None
        command: click.Command = importlib.import_module(f"workspace.cli.{cmd_name}").command
        return command


class HermesGroup(ShellGroup):
    """A group that hands every command but its own to Hermes, where Hermes is installed."""

    def main(
        self, args: Sequence[str] | None = None, prog_name: str | None = None, *_: object, **__: object
    ) -> NoReturn:
        """Run one command line, ours or Hermes', and exit."""
        arguments = sys.argv[1:] if args is None else list(args)
        if arguments[:1] != ["workspace"] and importlib.util.find_spec("hermes_cli") is not None:
            sys.argv[1:] = arguments
            sys.exit(importlib.import_module("hermes_cli.main").main())
        super().main(arguments, prog_name)


def shared_options(command: Command) -> Command:
    """Add the options that are accepted before and after a command's name."""
    human = click.option(
        "--human", is_flag=True, expose_value=False, callback=_set_human, help="Print text for people instead of JSON."
    )
    verbose = click.option(
        "-v",
        "--verbose",
        is_flag=True,
        expose_value=False,
        callback=_set_verbose,
        help="Log more, tracebacks included.",
    )
    return human(verbose(command))


def _set_human(ctx: click.Context, _: click.Parameter, value: bool) -> None:  # noqa: FBT001 - click's signature
    ctx.meta[_HUMAN] = value or ctx.meta.get(_HUMAN, False)


def _set_verbose(_: click.Context, __: click.Parameter, value: bool) -> None:  # noqa: FBT001 - click's signature
    if value:
        logging.getLogger("workspace").setLevel(logging.DEBUG)


def show(document: Any, render: Callable[[], str]) -> None:  # noqa: ANN401 - whatever JSON can say
    """Print a command's answer: `document` as JSON, or, where that was asked for, the text of `render`."""
    if click.get_current_context().meta.get(_HUMAN):
        write_text(render())
    else:
        write_json(document)


def load_config(*, even_disabled: bool = False) -> WorkspaceConfig:
    """Return the settings of the home in force, having logged what is odd about them.

    Raises:
        WorkspaceError: they are invalid, or they disable the workspace.
    """
    config = WorkspaceConfig.load()
    for warning in config.warnings:
        log.warning("%s", warning)
    if not even_disabled:
        config.require_enabled()
    return config


# --- From exceptions to exit codes --------------------------------------------------------------------------


def run(group: click.Group, arguments: list[str], program: str) -> int:
    """Run one command line and return its exit code. All that can go wrong is reported here and nowhere else."""
    human = "--human" in takewhile(lambda argument: argument != "--", arguments)
    with logging_to_stderr():
        try:
            with group.make_context(program, arguments) as context:
                group.invoke(context)
        except click.exceptions.Exit as end:
            return end.exit_code
        except BrokenPipeError:
            return EXIT_OK  # whoever read our output has seen enough
        except BaseException as error:
            if isinstance(error, SystemExit | GeneratorExit):
                raise
            code, message = _explain(error)
            write_error(type(error).__name__, message, human=human)
            return code
    return EXIT_OK


def _explain(error: BaseException) -> tuple[int, str]:
    """Return exit code and message for what ended a command."""
    match error:
        case click.UsageError():
            hint = f" Try '{error.ctx.command_path} --help'." if error.ctx else ""
            return EXIT_USAGE, error.format_message() + hint
        case click.ClickException():
            return EXIT_FATAL, error.format_message()
        case WorkspaceError():
            log.debug("the cause", exc_info=error)
            return EXIT_FATAL, str(error)
        case Terminated():
            return EXIT_TERMINATED, "terminated"
        case KeyboardInterrupt() | click.Abort():  # Abort: at a question
            return EXIT_INTERRUPTED, "interrupted"
        case _:
            log.debug("the cause", exc_info=error)
            return EXIT_FATAL, f"{type(error).__name__}: {error} (-v shows the traceback)"


# --- Logging ------------------------------------------------------------------------------------------------


class _LineFormatter(logging.Formatter):
    """One line per record; a traceback only where someone asked for more."""

    def format(self, record: logging.LogRecord) -> str:
        line = f"{record.levelname.lower()}: {visible(record.getMessage())}"
        if record.exc_info and logging.getLogger("workspace").isEnabledFor(logging.DEBUG):
            line += "\n" + "\n".join(map(visible, self.formatException(record.exc_info).splitlines()))
        return line


class _StderrHandler(logging.StreamHandler[Any]):
    """Writes to stderr; where nobody listens any more, a log line is lost and nothing else."""

    def handleError(self, record: logging.LogRecord) -> None:  # noqa: ARG002, N802 - logging's signature
        return


@contextmanager
def logging_to_stderr() -> Iterator[None]:
    """Show warnings and worse on stderr for as long as the context lasts."""
    root, ours = logging.getLogger(), logging.getLogger("workspace")
    level = ours.level
    handler = _StderrHandler(sys.stderr) if sys.stderr else logging.NullHandler()
    handler.setFormatter(_LineFormatter())
    root.addHandler(handler)
    try:
        yield
    finally:
        root.removeHandler(handler)
        ours.setLevel(level)
