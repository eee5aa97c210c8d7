"""The options that all benchmarks share, and how one question is asked alone."""

from __future__ import annotations

import argparse
import contextlib
import json
import tempfile
from pathlib import Path
from typing import TYPE_CHECKING

from lab import QUICK, Lab, Scale

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from lab import Figures


def options(description: str | None) -> argparse.Namespace:
    """Parse the command line."""
    parser = argparse.ArgumentParser(description=description, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--corpus", type=_directory, help="measure on this directory instead of generated files")
    parser.add_argument("--quick", action="store_true", help="a tenth of the files: is everything in order?")
    parser.add_argument("--scratch", type=_directory, help="where to write (default: the system's temporary directory)")
    return parser.parse_args()


@contextlib.contextmanager
def open_lab(arguments: argparse.Namespace) -> Iterator[Lab]:
    """Yield a laboratory of the wanted size in a directory that is deleted afterwards."""
    with tempfile.TemporaryDirectory(prefix="bench-", dir=arguments.scratch) as scratch:
        yield Lab(Path(scratch).resolve(), scale=QUICK if arguments.quick else Scale(), tree=arguments.corpus)


def answer(measure: Callable[[Lab], Figures], description: str | None) -> None:
    """Ask one question, and print the figures as JSON."""
    with open_lab(options(description)) as lab:
        print(json.dumps(measure(lab), indent=2))


def _directory(written: str) -> Path:
    path = Path(written).expanduser().resolve()
    if not path.is_dir():
        raise argparse.ArgumentTypeError(f"{written} is not a directory")
    return path
