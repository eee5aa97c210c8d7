"""Change the list of roots in the text of a config file, and not a character besides.

Writing a YAML file anew from its data would lose spacing, quoting and line breaks of lines that are none of our
business. Here the parser only tells where the nodes lie; the text is then cut and patched at those places. Only common
shapes of YAML are patched, so a patch is a proposal: the caller accepts it if the parser finds the wanted roots in the
new text and everything else as it was, for which `rest_of` is there.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any, Final, NamedTuple

from workspace.config.file import compose

if TYPE_CHECKING:
    from collections.abc import Callable

    Node = Any  # of ruamel.yaml, which is imported only when there is a file to read

SECTION: Final = "knowledgebase"
KEY: Final = "roots"

_PLAIN: Final = re.compile(r"/[\w./+@%-]*")
"""Paths that need no quotes anywhere in a YAML text: a part of what YAML 1.2.2, section 7.3.3 allows."""

_DASH: Final = re.compile(r"^( *)-", re.MULTILINE)
"""The start of a line that starts an entry of a block sequence."""

_DOCUMENT_END: Final = re.compile(r"^\.\.\.(?=\s|$)", re.MULTILINE)

_NULL: Final = "tag:yaml.org,2002:null"
_NOTHING: Final = ("nothing",)


def with_root(text: str, path: str, *, recursive: bool, is_root: Callable[[str], bool]) -> str:
    """Return `text` with the root `path` added, or with `recursive` set in the entries that are this root already.

    `is_root` is asked for each path, as it stands in the file, whether it is the root in question.
    """
    document = compose(text)
    entries = _entries_of(document, is_root)
    if not entries:
        return _apply(text, _insertion(text, document, _content_of(path, recursive=recursive)))
    return _apply(text, [splice for entry in entries for splice in _set_recursive(text, entry, recursive=recursive)])


def without_root(text: str, *, is_root: Callable[[str], bool]) -> str:
    """Return `text` without the entries that are the root in question, see `with_root`."""
    while entries := _entries_of(document := compose(text), is_root):
        shorter = _apply(text, _removal(text, document, entries[0]))
        if len(shorter) >= len(text):
            break  # not a shape that can be cut out
        text = shorter
    return text


def rest_of(text: str) -> object:
    """Return all that a config text says besides its roots, in a form that compares equal if nothing changed."""
    document = compose(text)
    return _NOTHING if document is None else _shape(document, [], without=(SECTION, KEY))


# --- The nodes ----------------------------------------------------------------------------------------------


def _find(mapping: Node, key: str) -> tuple[Node, Node]:
    """Return the key node and the value node of `key`; two None if there is no such key, or no mapping."""
    if mapping is not None and mapping.id == "mapping":
        for key_node, value_node in mapping.value:
            if key_node.value == key:
                return key_node, value_node
    return None, None


def _entries_of(document: Node, is_root: Callable[[str], bool]) -> list[Node]:
    roots = _find(_find(document, SECTION)[1], KEY)[1]
    if roots is None or roots.id != "sequence":
        return []
    paths = ((entry, _find(entry, "path")[1]) for entry in roots.value)
    return [entry for entry, path in paths if path is not None and is_root(path.value)]


def _end_of(node: Node) -> int:
    """Return where a node's own text ends: a block collection claims the comments behind it as well."""
    if node.id == "scalar" or node.flow_style or not node.value:
        return int(node.end_mark.index)
    if node.id == "sequence":
        return _end_of(node.value[-1])
    key, value = node.value[-1]
    return int(key.end_mark.index) if value.value == "" else _end_of(value)


def _shape(node: Node, seen: list[Node], without: tuple[str, ...] = ()) -> object:
    """Return tags and values of a node and all below it, leaving out the key that `without` is the way to.

    A section left without keys counts as absent, so that a file that never had one equals a file that lost its roots.
    """
    if node.id == "scalar":
        return _NOTHING if node.tag == _NULL else (node.tag, node.value)
    if any(node is other for other in seen):
        return "alias", node.anchor
    seen.append(node)
    if node.id == "sequence":
        return node.tag, tuple(_shape(child, seen) for child in node.value)
    items = []
    for key, value in node.value:
        rest = without[1:] if without and key.value == without[0] else None
        if rest == ():
            continue
        shape = _shape(value, seen, rest or ())
        if rest is None or shape != _NOTHING:
            items.append((_shape(key, seen), shape))
    return (node.tag, tuple(items)) if items else _NOTHING


# --- The patches --------------------------------------------------------------------------------------------


class _Splice(NamedTuple):
    """Replace the characters from `start` to `end` by `text`."""

    start: int
    end: int
    text: str


class _Content(NamedTuple):
    """A value as it is written, in block style and in flow style."""

    lines: tuple[str, ...]
    flow: str

    def under(self, key: str) -> _Content:
        """Return the mapping that has this value at `key`."""
        return _Content((f"{key}:", *(f"  {line}" for line in self.lines)), f"{{{key}: {self.flow}}}")


def _content_of(path: str, *, recursive: bool) -> _Content:
    """Return a list that has one root."""
    pairs = f"path: {_quoted(path)}", f"recursive: {_flag(recursive=recursive)}"
    return _Content((f"- {pairs[0]}", f"  {pairs[1]}"), f"[{{{pairs[0]}, {pairs[1]}}}]")


def _flag(*, recursive: bool) -> str:
    return "true" if recursive else "false"


def _quoted(path: str) -> str:
    """Return a path as a YAML scalar; characters that are not printable are escaped (YAML 1.2.2, section 5.7)."""
    return path if _PLAIN.fullmatch(path) else '"' + "".join(map(_escaped, path)) + '"'


def _escaped(character: str) -> str:
    if character in '"\\':
        return "\\" + character
    return character if character.isprintable() else f"\\U{ord(character):08x}"


def _apply(text: str, splices: list[_Splice]) -> str:
    for start, end, new in sorted(splices, reverse=True):
        text = text[:start] + new + text[end:]
    return text


def _below(text: str, offset: int, indent: int, lines: tuple[str, ...]) -> _Splice:
    """Insert lines below the one that holds `offset`."""
    position = _line_end(text, offset)
    return _Splice(position, position, "".join(_newline_of(text) + " " * indent + line for line in lines))


def _newline_of(text: str) -> str:
    return "\r\n" if "\r\n" in text else "\n"


def _line_end(text: str, offset: int, *, newline: bool = False) -> int:
    """Return where the line ends that holds `offset`, before or behind its `newline`."""
    end = text.find("\n", offset)
    if end < 0:
        return len(text)
    if newline:
        return end + 1
    return end - 1 if text[offset:end].endswith("\r") else end


def _line_of(text: str, entry: Node) -> tuple[int, int]:
    """Return where the line starts that holds the dash of an entry, and how far the dash is indented."""
    *_, dash = _DASH.finditer(text, 0, entry.start_mark.index)
    return dash.start(), len(dash[1])


def _insertion(text: str, document: Node, roots: _Content) -> list[_Splice]:
    """Write `roots` where the outermost thing is missing or empty: the entry, the key, the section, or the document."""
    section_key, section = _find(document, SECTION)
    key, value = _find(section, KEY)
    if key is not None and value.id == "sequence" and value.value:
        return [_append(text, value, roots)]
    if key is not None:
        return _fill(text, key, value, roots, flow=section.flow_style)
    if section_key is not None and section.id == "mapping" and section.value:
        return [_add_key(text, section, section_key.end_mark.index, roots.under(KEY))]
    if section_key is not None:
        return _fill(text, section_key, section, roots.under(KEY), flow=document.flow_style)
    return [_add_section(text, document, roots.under(KEY).under(SECTION))]


def _append(text: str, value: Node, roots: _Content) -> _Splice:
    last = value.value[-1]
    end = _end_of(last)
    if value.flow_style:
        return _Splice(end, end, f", {roots.flow[1:-1]}")
    return _below(text, end, _line_of(text, last)[1], roots.lines)


def _fill(text: str, key: Node, value: Node, content: _Content, *, flow: bool) -> list[_Splice]:
    """Give `content` to a key whose value is empty: nothing, null, [] or {}."""
    start, end = value.start_mark.index, value.end_mark.index
    if not text[start:end].strip():  # nothing is written: such a node lies somewhere behind its key
        start = end = text.index(":", key.end_mark.index) + 1
    if flow:
        return [_Splice(start, end, f" {content.flow}" if start == end else content.flow)]
    start -= len(text[:start]) - len(text[:start].rstrip(" "))
    return [_Splice(start, end, ""), _below(text, end, key.start_mark.column + 2, content.lines)]


def _add_key(text: str, mapping: Node, offset: int, content: _Content) -> _Splice:
    """Make `content`, a mapping of one key, the first key of a mapping whose lines start below `offset`."""
    if mapping.flow_style:
        start = mapping.start_mark.index + 1
        return _Splice(start, start, content.flow[1:-1] + (", " if mapping.value else ""))
    return _below(text, offset, mapping.value[0][0].start_mark.column, content.lines)


def _add_section(text: str, document: Node, content: _Content) -> _Splice:
    if document is not None and document.id == "mapping" and document.flow_style:
        return _add_key(text, document, 0, content)
    indent = " " * (document.value[0][0].start_mark.column if document is not None and document.value else 0)
    newline = _newline_of(text)
    end = _DOCUMENT_END.search(text)
    position = end.start() if end else len(text)
    before = newline if text[:position] and not text[:position].endswith("\n") else ""
    return _Splice(position, position, before + "".join(indent + line + newline for line in content.lines))


def _set_recursive(text: str, entry: Node, *, recursive: bool) -> list[_Splice]:
    key, value = _find(entry, "recursive")
    flag = _flag(recursive=recursive)
    if key is not None and value.value:
        same = (value.value.lower() == "true") is recursive
        return [] if same else [_Splice(value.start_mark.index, value.end_mark.index, flag)]
    if key is not None:
        colon = text.index(":", key.end_mark.index) + 1
        return [_Splice(colon, colon, f" {flag}")]
    if not recursive:
        return []
    end = _find(entry, "path")[1].end_mark.index
    if entry.flow_style:
        return [_Splice(end, end, f", recursive: {flag}")]
    return [_below(text, end, entry.value[0][0].start_mark.column, (f"recursive: {flag}",))]


def _removal(text: str, document: Node, entry: Node) -> list[_Splice]:
    key, roots = _find(_find(document, SECTION)[1], KEY)
    if roots.flow_style:
        return [_flow_removal(text, roots.value, entry)]
    splices = [_Splice(_line_of(text, entry)[0], _line_end(text, _end_of(entry), newline=True), "")]
    if len(roots.value) == 1:
        colon = text.index(":", key.end_mark.index) + 1
        splices.append(_Splice(colon, colon, " []"))
    return splices


def _flow_removal(text: str, entries: list[Node], entry: Node) -> _Splice:
    """Cut one entry out of ``[a, b]``, with the comma that follows it or else the one before it."""
    index = next(index for index, other in enumerate(entries) if other is entry)
    start, end = entry.start_mark.index, entry.end_mark.index
    if index + 1 < len(entries):
        return _Splice(start, entries[index + 1].start_mark.index, "")
    if index:
        return _Splice(_end_of(entries[index - 1]), end, "")
    behind = text[end:].lstrip()
    return _Splice(start, len(text) - len(behind) + 1 if behind.startswith(",") else end, "")
