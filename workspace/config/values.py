"""Read single settings out of nested mappings, or say exactly what is wrong with one."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, Final

from workspace.config.file import ConfigError

MAX_NUMBER: Final = 1e15
"""Larger numbers are mistakes, infinity among them; and a double counts units exactly up to here."""

SHOWN_CHARS: Final = 80
"""Characters of a refused value that a message repeats: enough to find it, little enough for one line."""


class Section:
    """One mapping of a config, known by its dotted name. Each accessor names a key, and by that makes it known.

    A key without a value counts as not set. Every accessor raises ConfigError for a value that is not what it promises.
    """

    def __init__(self, name: str, values: object, family: list[Section] | None = None) -> None:
        if values is not None and not isinstance(values, Mapping):
            raise refusal(name or "the configuration", "a mapping", values)
        self.name = name
        self._values: Mapping[Any, Any] = values or {}
        self._known: list[str] = []
        self._family: list[Section] = [] if family is None else family
        self._family.append(self)

    def section(self, key: str) -> Section:
        """Return the section below `key`, empty if there is none."""
        return Section(self._name_of(key), self._get(key), self._family)

    def sections(self, key: str) -> list[Section]:
        """Return the mappings in the list at `key`."""
        values = self._get(key)
        if values is None:
            return []
        if isinstance(values, str) or not isinstance(values, Sequence):
            raise refusal(self._name_of(key), "a list", values)
        return [Section(f"{self._name_of(key)}[{n}]", value, self._family) for n, value in enumerate(values)]

    def boolean(self, key: str, *, default: bool) -> bool:
        """Return true or false."""
        value = self._get(key)
        if value is None:
            return default
        if not isinstance(value, bool):
            raise refusal(self._name_of(key), "true or false", value)
        return value

    def text(self, key: str, default: str) -> str:
        """Return a string."""
        value = self._get(key)
        if value is None:
            return default
        if not isinstance(value, str):
            raise refusal(self._name_of(key), "a string", value)
        return value

    def integer(self, key: str, default: int, *, minimum: int, below: tuple[str, int] | None = None) -> int:
        """Return an integer of at least `minimum`, and less than another setting, `below`; a bool is none."""
        value = self._get(key)
        if value is None:
            value = default
        limit = "" if below is None else f" and less than {below[0]} ({below[1]})"
        is_integer = isinstance(value, int) and not isinstance(value, bool)
        if not is_integer or value < minimum or (below is not None and value >= below[1]):
            raise refusal(self._name_of(key), f"an integer of at least {minimum}{limit}", value)
        return int(value)

    def positive(self, key: str, default: float) -> float:
        """Return a number above 0 that is neither infinite nor too large for arithmetic."""
        value = self._get(key)
        if value is None:
            return default
        if isinstance(value, bool) or not isinstance(value, int | float) or not 0 < value < MAX_NUMBER:
            raise refusal(self._name_of(key), "a number greater than 0", value)
        return float(value)

    def unknown_keys(self) -> list[str]:
        """Return a sentence for each key, here and in all sections read from here, that no accessor named."""
        return [
            f"unknown key {section._name_of(key)} is ignored"  # noqa: SLF001 - of the same class
            for section in self._family[1:]
            for key in section._values  # noqa: SLF001
            if key not in section._known  # noqa: SLF001
        ]

    def _get(self, key: str) -> Any:  # noqa: ANN401 - the accessors find out
        self._known.append(key)
        return self._values.get(key)

    def _name_of(self, key: object) -> str:
        return f"{self.name}.{key}" if self.name else str(key)


def refusal(name: str, constraint: str, value: object) -> ConfigError:
    """Return the error for a value that breaks a constraint."""
    shown = repr(value)
    if len(shown) > SHOWN_CHARS:
        shown = shown[: SHOWN_CHARS - 1] + "…"
    return ConfigError(f"{name} must be {constraint}, not {shown}")
