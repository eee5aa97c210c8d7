"""The settings of a workspace: read from ``config.yaml``, checked once, handed around as one frozen record."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

from workspace.config.file import ConfigError, parse_sections, read_text
from workspace.config.values import Section, refusal
from workspace.constants import (
    BYTES_PER_MB,
    CONFIG_NAME,
    DATABASE_NAME,
    DEFAULT_CHUNK_SIZE,
    DEFAULT_LIMIT,
    DEFAULT_MAX_CONTENT_CHARS,
    DEFAULT_MAX_FILE_MB,
    DEFAULT_OVERLAP,
    DEFAULT_THRESHOLD,
    INDEX_DIRECTORY,
    hermes_home,
)
from workspace.types import Root, WorkspaceError

if TYPE_CHECKING:
    from collections.abc import Mapping

SECTIONS: Final = ("workspace", "knowledgebase")
"""The only top-level keys of ``config.yaml`` that are ours; the rest belongs to Hermes."""


@dataclass(frozen=True, slots=True)
class WorkspaceConfig:
    """All settings of one home, checked. `workspace_path` and the paths of `roots` are absolute and resolved.

    `chunk_size`, `overlap` and `threshold` count words. `roots` are the configured ones, without the workspace itself.
    `warnings` are sentences about keys that mean nothing to us.
    """

    home: Path
    enabled: bool
    workspace_path: Path
    roots: tuple[Root, ...]
    chunk_size: int
    overlap: int
    threshold: int
    max_file_mb: float
    default_limit: int
    max_content_chars: int
    warnings: tuple[str, ...] = ()

    @classmethod
    def load(cls, home: Path | None = None) -> WorkspaceConfig:
        """Return the settings of `home` (default: the home in force); without a config file, the defaults.

        Raises:
            ConfigError: the file cannot be read, is not YAML, or holds a value that `from_dict` refuses.
        """
        home = hermes_home() if home is None else home
        return cls.from_text(read_text(home / CONFIG_NAME), home=home)

    @classmethod
    def from_text(cls, text: str, *, home: Path) -> WorkspaceConfig:
        """Do what `load` does, for a text that stands or shall stand in the config file of `home`."""
        path = home / CONFIG_NAME
        sections = parse_sections(text, SECTIONS, path)
        try:
            return cls.from_dict(sections, home=home)
        except ConfigError as error:
            raise ConfigError(f"{path}: {error}") from error

    @classmethod
    def from_dict(cls, data: Mapping[str, Any], *, home: Path) -> WorkspaceConfig:
        """Return checked settings from the plain values of a config file; other sections are not looked at.

        A key without a value counts as not set.

        Raises:
            ConfigError: (a ValueError) it names the key, the value and the constraint.
        """
        top = Section("", data)
        workspace, knowledgebase = top.section("workspace"), top.section("knowledgebase")
        chunking, indexing, search = map(knowledgebase.section, ("chunking", "indexing", "search"))
        chunk_size = chunking.integer("chunk_size", DEFAULT_CHUNK_SIZE, minimum=1)
        return cls(
            home=home,
            enabled=workspace.boolean("enabled", default=True),
            workspace_path=_workspace_path(workspace.text("path", ""), home),
            roots=_roots(knowledgebase.sections("roots")),
            chunk_size=chunk_size,
            overlap=chunking.integer("overlap", DEFAULT_OVERLAP, minimum=0, below=("chunk_size", chunk_size)),
            threshold=chunking.integer("threshold", DEFAULT_THRESHOLD, minimum=0),
            max_file_mb=indexing.positive("max_file_mb", DEFAULT_MAX_FILE_MB),
            default_limit=search.integer("default_limit", DEFAULT_LIMIT, minimum=1),
            max_content_chars=search.integer("max_content_chars", DEFAULT_MAX_CONTENT_CHARS, minimum=0),
            warnings=tuple(top.unknown_keys()),
        )

    @property
    def all_roots(self) -> tuple[Root, ...]:
        """The workspace itself, recursive, then the configured roots; each directory once."""
        own = Root(str(self.workspace_path), recursive=True)
        return (own, *(root for root in self.roots if root.path != own.path))

    @property
    def max_file_bytes(self) -> int:
        """The size of the largest file that is indexed."""
        return int(self.max_file_mb * BYTES_PER_MB)

    @property
    def index_directory(self) -> Path:
        """Where the database lives, and all that belongs to it."""
        return self.workspace_path / INDEX_DIRECTORY

    @property
    def database_path(self) -> Path:
        """The one file that is the index."""
        return self.index_directory / DATABASE_NAME

    def require_enabled(self) -> None:
        """Refuse to go on with a workspace that its owner has switched off.

        Raises:
            WorkspaceError: ``workspace.enabled`` is false.
        """
        if not self.enabled:
            raise WorkspaceError(f"the workspace is disabled: workspace.enabled is false in {self.home / CONFIG_NAME}")


# --- Values -------------------------------------------------------------------------------------------------


def resolve_path(written: str, base: Path | None = None) -> str:
    """Return a path absolute, without ``~`` and without symlinks; where those run in circles, only absolute.

    A relative path starts at `base`, by default in the working directory.
    """
    path = (base or Path()) / _expanded(written)
    try:
        return str(path.resolve())
    except (OSError, RuntimeError, ValueError):  # ValueError: a NUL, which no path holds
        return str(path.absolute())


def _expanded(written: str) -> Path:
    try:
        return Path(written).expanduser()
    except RuntimeError:  # no such user
        return Path(written)


def _workspace_path(written: str, home: Path) -> Path:
    if "\0" in written:
        raise refusal("workspace.path", "a path", written)
    return Path(resolve_path(written or "workspace", home))


def _roots(entries: list[Section]) -> tuple[Root, ...]:
    """Return the configured roots in order. Entries for one directory are one root, recursive if one of them is."""
    roots: dict[str, bool] = {}
    for entry in entries:
        written = entry.text("path", "")
        if "\0" in written or not _expanded(written).is_absolute():
            raise refusal(f"{entry.name}.path", "an absolute path", written)
        path = resolve_path(written)
        roots[path] = entry.boolean("recursive", default=False) or roots.get(path, False)
    return tuple(Root(path, recursive) for path, recursive in roots.items())
