"""Read and replace ``config.yaml``, a file that belongs to Hermes as well: the only user of ruamel.yaml.

Nothing here knows what the settings mean. Of the sections at the top level only those asked for are read; the others
are checked for being YAML and no more, so that a tag or a repeated key that is none of our business does not stop us.
"""

from __future__ import annotations

import os
import stat
import warnings
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

from workspace.types import WorkspaceError

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence

BOM: Final = "\ufeff"

LOCK_TIMEOUT_SECONDS: Final = 10.0
"""An edit takes milliseconds: whoever holds the lock for longer has hung, and waiting on would hide that."""

NEW_FILE_MODE: Final = 0o600
"""A config file made by us is its owner's: people put keys for services into it later."""


class ConfigError(WorkspaceError, ValueError):
    """The configuration cannot be used as it is written. The text names file or key, value and constraint."""


# --- Reading ------------------------------------------------------------------------------------------------


def read_text(path: Path) -> str:
    """Return the text of a config file, "" if there is none; line ends and a byte order mark are kept.

    Raises:
        ConfigError: it cannot be read, is no regular file (a FIFO would block for ever) or is not UTF-8.
    """
    try:
        if not stat.S_ISREG(path.stat().st_mode):
            raise ConfigError(f"{path} is not a regular file")
        content = path.read_bytes()
    except FileNotFoundError:
        return ""
    except OSError as error:
        raise ConfigError(f"{path} cannot be read: {error.strerror}") from error
    try:
        return content.decode("utf-8")
    except UnicodeDecodeError as error:
        before = content[: error.start].decode("utf-8")
        line, column = _position(before, len(before))
        raise ConfigError(f"{path}, line {line}, column {column}: not UTF-8 ({error.reason})") from error


def parse_sections(text: str, names: Sequence[str], path: Path) -> dict[str, Any]:
    """Return those of the top-level sections `names` that a text has, as plain values; `path` names it in messages.

    Raises:
        ConfigError: the text is not YAML, or not a mapping of sections; the text names line and column.
    """
    text = text.removeprefix(BOM)
    if not text or text.isspace():
        return {}
    with yaml_errors(text, path):
        document = compose(text)
        sections: dict[str, Any] = {}
        for key, value in mapping_items(document, path):
            if key.value not in names:
                continue
            if key.value in sections:
                line, column = key.start_mark.line + 1, key.start_mark.column + 1
                raise ConfigError(f"{path}, line {line}, column {column}: a second section {key.value}")
            sections[key.value] = _yaml().constructor.construct_document(value)
    return sections


def compose(text: str) -> Any:  # noqa: ANN401 - a node of ruamel.yaml, which is imported only when there is a file
    """Return the root node of a YAML text; None if it holds nothing but comments."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # an anchor defined twice is legal YAML
        return _yaml().compose(text)


def mapping_items(node: Any, path: Path) -> list[tuple[Any, Any]]:  # noqa: ANN401 - see compose
    """Return the (key node, value node) pairs of a document's root.

    Raises:
        ConfigError: the root is neither a mapping nor empty.
    """
    if node is None or node.tag == "tag:yaml.org,2002:null":
        return []
    if node.id != "mapping":
        raise ConfigError(f"{path} must hold a mapping of sections at its top level, not a {node.id}")
    return list(node.value)


def _yaml() -> Any:  # noqa: ANN401 - see compose
    from ruamel.yaml import YAML  # 25 ms that only a home with a config file has to pay

    return YAML(typ="safe", pure=True)


@contextmanager
def yaml_errors(text: str, path: Path) -> Iterator[None]:
    """Turn what ruamel.yaml raises for `text` into a ConfigError of one line that names line and column."""
    from ruamel.yaml.error import MarkedYAMLError, YAMLError
    from ruamel.yaml.reader import ReaderError

    try:
        yield
    except MarkedYAMLError as error:
        mark = error.problem_mark or error.context_mark
        line, column = (mark.line + 1, mark.column + 1) if mark else (1, 1)
        problem = ": ".join(filter(None, (error.context, error.problem)))
        raise ConfigError(f"{path}, line {line}, column {column}: {problem}") from error
    except ReaderError as error:
        line, column = _position(text, error.position)
        raise ConfigError(f"{path}, line {line}, column {column}: a character that YAML does not allow") from error
    except (YAMLError, RecursionError) as error:
        raise ConfigError(f"{path} cannot be read as YAML: {type(error).__name__}") from error
    except ConfigError:
        raise
    except ValueError as error:  # a value that contradicts its own tag, such as ``!!int abc``
        raise ConfigError(f"{path} cannot be read as YAML: {error}") from error


def _position(text: str, offset: int) -> tuple[int, int]:
    """Return line and column, both from 1, of a character in a text."""
    before = text[:offset].replace("\r\n", "\n").replace("\r", "\n")
    return before.count("\n") + 1, len(before) - before.rfind("\n")


# --- Replacing ----------------------------------------------------------------------------------------------


def edit(path: Path, change: Callable[[str], str]) -> None:
    """Replace a config file's text by ``change(text)``, whole or not at all, one editor at a time.

    `change` sees no byte order mark. The file keeps its mode and owner, and a symlink stays one. Whatever `change`
    raises leaves everything as it was.

    Raises:
        WorkspaceError: the file cannot be locked or written.
    """
    target = path.resolve()
    try:
        target.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
        with _locked(target):
            old = read_text(target)
            bom = BOM if old.startswith(BOM) else ""
            new = bom + change(old.removeprefix(BOM))
            if new != old:
                _replace(target, new.encode("utf-8"))
    except OSError as error:
        raise WorkspaceError(f"{path} cannot be written: {error.strerror or error}") from error


@contextmanager
def _locked(target: Path) -> Iterator[None]:
    """Hold the lock beside a config file: the file itself is replaced by an edit, so it cannot be the lock."""
    from filelock import FileLock, Timeout  # only edits need it

    try:
        with FileLock(target.with_name(f".{target.name}.lock"), timeout=LOCK_TIMEOUT_SECONDS):
            yield
    except Timeout as error:
        raise WorkspaceError(f"{target} is being edited by another process; try again") from error


def _replace(target: Path, content: bytes) -> None:
    """Put `content` in the place of `target` so that a crash leaves the old file or the new one."""
    if target.exists() and not os.access(target, os.W_OK):
        raise WorkspaceError(f"{target} is read-only")
    import tempfile

    handle, name = tempfile.mkstemp(dir=target.parent, prefix=f".{target.name}.")
    temporary = Path(name)
    try:
        with os.fdopen(handle, "wb") as file:
            file.write(content)
            file.flush()
            os.fsync(handle)
        _copy_owner_and_mode(target, temporary)
        temporary.replace(target)
    except BaseException:
        temporary.unlink(missing_ok=True)
        raise
    _sync_directory(target.parent)


def _copy_owner_and_mode(source: Path, target: Path) -> None:
    try:
        status = source.stat()
    except FileNotFoundError:
        target.chmod(NEW_FILE_MODE)
        return
    if hasattr(os, "chown"):
        with suppress(PermissionError):  # only root may give a file away
            os.chown(target, status.st_uid, status.st_gid)
    target.chmod(stat.S_IMODE(status.st_mode))


def _sync_directory(directory: Path) -> None:
    """Make a rename survive a power failure, where directories can be opened."""
    if not hasattr(os, "O_DIRECTORY"):
        return
    handle = os.open(directory, os.O_RDONLY | os.O_DIRECTORY)
    try:
        os.fsync(handle)
    finally:
        os.close(handle)
