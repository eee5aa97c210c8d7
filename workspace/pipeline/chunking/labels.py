"""Section paths of code: the definitions around a place, each by its keyword and its name as written."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from workspace.pipeline.chunking.grammars import FIRST_CHILD, OUTERMOST, WRAPPERS

if TYPE_CHECKING:
    from tree_sitter import Node

    from workspace.pipeline.chunking.grammars import Grammar

SEPARATOR: Final = " > "

LONGEST_LABEL: Final = 120
"""Characters of one label: more than any name that a person wrote, less than a list of selectors."""

DEEPEST_SCOPE: Final = 8
"""Labels in a path: data nested a thousand levels deep is told apart by the outermost ones."""


def section_path(scope: tuple[str, ...], node: Node, data: bytes, grammar: Grammar) -> str | None:
    """Return the path that ends at `node`, if it is a definition, within `scope`; None if there is none at all."""
    return SEPARATOR.join(inner_scope(scope, node, data, grammar)) or None


def inner_scope(scope: tuple[str, ...], node: Node, data: bytes, grammar: Grammar) -> tuple[str, ...]:
    """Return `scope`, extended by the label of the definition that `node` is or wraps, if any."""
    node = unwrapped(node)
    field = grammar.definitions.get(node.type)
    if field is None or len(scope) == DEEPEST_SCOPE or (scope and node.type in OUTERMOST):
        return scope
    name = _name_of(node, field)
    return scope if name is None else (*scope, _label(node, name, data))


def unwrapped(node: Node) -> Node:
    """Return what a decorated, exported or templated definition is in the end, or `node` if it is none of these."""
    while node.type in WRAPPERS and node.named_child_count:
        node = node.named_children[-1]
    return node


def _name_of(node: Node, field: str) -> Node | None:
    name = node.named_child(0) if field == FIRST_CHILD else node.child_by_field_name(field)
    # In C a declarator wraps another: the function in a pointer, the name in the function.
    while name is not None and (inner := name.child_by_field_name("declarator")) is not None:
        name = inner
    return name


def _label(node: Node, name: Node, data: bytes) -> str:
    """Return the text from the keyword, which follows modifiers and annotations, to the end of the name."""
    start = name.start_byte
    for child in node.children:
        if child.start_byte >= start:
            break
        if not child.is_named and any(map(str.isalpha, child.type)):
            start = child.start_byte
            break
    return " ".join(data[start : name.end_byte].decode(errors="replace").split())[:LONGEST_LABEL]
